// Blocks, clusters and the scheduling of their warps.

#include "test/emulator/Machine.h"

#include <algorithm>

namespace emulator {

Block::Block(Launch &launch, Cluster &cluster, Dimensions index, unsigned rank)
    : launch(launch), cluster(cluster), index(index), rank(rank),
      sharedMemory(launch.program.staticSharedBytes +
                   launch.configuration.dynamicSharedBytes) {
  for (char &byte : sharedMemory)
    byte = static_cast<char>(launch.random.below(256));
  const uint64_t threads = launch.configuration.threads.count();
  for (uint64_t first = 0; first < threads; first += kLanes) {
    const uint64_t lanes = std::min<uint64_t>(kLanes, threads - first);
    warps.push_back(std::make_unique<Warp>(
        launch, *this, static_cast<unsigned>(first / kLanes),
        static_cast<uint32_t>((uint64_t(1) << lanes) - 1)));
  }
}

bool Block::isDone() const {
  return loads.empty() &&
         std::all_of(warps.begin(), warps.end(),
                     [](const auto &warp) { return warp->isDone(); });
}

char *Block::shared(uint64_t offset, size_t bytes) {
  if (const uint64_t number = offset >> kRankShift) {
    if (number > cluster.blocks.size())
      throw Failure("the cluster has no block " + std::to_string(number - 1));
    return cluster.blocks[number - 1]->shared(offset & ((1u << kRankShift) - 1),
                                              bytes);
  }
  if (offset < kSharedBegin || offset + bytes > sharedMemory.size())
    throw Failure("touches " + std::to_string(bytes) + " bytes at " +
                  hex(offset) + " of the shared memory, which ends at " +
                  hex(sharedMemory.size()));
  return sharedMemory.data() + offset;
}

unsigned Block::threadsLeft() const {
  unsigned left = 0;
  for (const auto &warp : warps)
    left += warp->isDone() ? 0 : kLanes;
  return left;
}

void Block::releaseBarriers() {
  for (Barrier &barrier : barriers)
    if (barrier.arrived &&
        barrier.arrived >=
            (barrier.expected ? barrier.expected : threadsLeft())) {
      barrier.arrived = barrier.expected = 0;
      barrier.lastCount = barrier.count;
      barrier.lastThreads = barrier.threads;
      barrier.count = barrier.threads = 0;
      barrier.waitingAt = nullptr;
      ++barrier.generation;
    }
}

Launch::Launch(const Program &program, const Function &kernel,
               const Configuration &configuration, std::vector<char> parameters,
               const Allocations &allocations, uint64_t seed)
    : program(program), kernel(kernel), configuration(configuration),
      parameters(std::move(parameters)), allocations(allocations),
      random(seed) {
  clusterCount = configuration.grid.count() / configuration.cluster.count();
}

void Launch::startCluster() {
  auto cluster = std::make_unique<Cluster>();
  cluster->number = nextCluster++;
  const Dimensions &size = configuration.cluster;
  const uint64_t perRow = configuration.grid.x / size.x;
  const uint64_t perColumn = configuration.grid.y / size.y;
  const uint64_t x = cluster->number % perRow,
                 y = cluster->number / perRow % perColumn,
                 z = cluster->number / perRow / perColumn;
  unsigned rank = 0;
  for (unsigned k = 0; k < size.z; ++k)
    for (unsigned j = 0; j < size.y; ++j)
      for (unsigned i = 0; i < size.x; ++i) {
        const Dimensions index = {static_cast<unsigned>(x * size.x + i),
                                  static_cast<unsigned>(y * size.y + j),
                                  static_cast<unsigned>(z * size.z + k)};
        cluster->blocks.push_back(
            std::make_unique<Block>(*this, *cluster, index, rank++));
      }
  running.push_back(std::move(cluster));
}

/// Runs one pending operation, chosen at random.
static bool runPending(Block &block, Random &random) {
  if (!block.loads.empty() && random.below(2)) {
    const uint32_t at = random.below(static_cast<uint32_t>(block.loads.size()));
    Queue::Work work = std::move(block.loads[at]);
    block.loads.erase(block.loads.begin() + at);
    work();
    return true;
  }
  Warp &warp =
      *block.warps[random.below(static_cast<uint32_t>(block.warps.size()))];
  const unsigned lane = random.below(kLanes);
  switch (random.below(3)) {
  case 0:
    return warp.wgmmas.runOne();
  case 1:
    return warp.copies[lane].runOne();
  default:
    return warp.stores[lane].runOne();
  }
}

/// Runs each warp for a time slice. Returns false if none made progress.
bool Launch::runRound() {
  bool isIdle = true;
  std::vector<Warp *> warps;
  for (const auto &cluster : running)
    for (const auto &block : cluster->blocks)
      for (const auto &warp : block->warps)
        if (!warp->isDone())
          warps.push_back(warp.get());
  for (size_t i = warps.size(); i > 1; --i)
    std::swap(warps[i - 1], warps[random.below(static_cast<uint32_t>(i))]);
  for (Warp *warp : warps) {
    const unsigned most = 1 + random.below(1u << random.below(12));
    isIdle &= !warp->run(most);
    if (warp->isDone())
      warp->block.releaseBarriers();
    if (random.below(4) == 0)
      isIdle &= !runPending(warp->block, random);
  }
  return !isIdle;
}

/// Completes the pending operations of the block's threads.
static void finish(Block &block) {
  for (const auto &warp : block.warps) {
    while (warp->wgmmas.runOne())
      ;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      while (warp->copies[lane].runOne() || warp->stores[lane].runOne())
        ;
  }
}

void Launch::run() {
  // Many more rounds than any pending operation takes.
  constexpr unsigned kMostIdleRounds = 20000;
  unsigned idleRounds = 0;
  while (nextCluster < clusterCount || !running.empty()) {
    while (running.size() < configuration.clustersAtOnce &&
           nextCluster < clusterCount)
      startCluster();
    idleRounds = runRound() ? 0 : idleRounds + 1;
    if (idleRounds > kMostIdleRounds ||
        clock > configuration.mostInstructions) {
      std::string waits;
      for (const auto &block : running[0]->blocks)
        for (const auto &warp : block->warps)
          if (!warp->isDone())
            waits +=
                " " + std::to_string(program.instructions[warp->current].line);
      throw Failure("kernel '" + kernel.name +
                    "' waits for ever; its first blocks do at the lines" +
                    waits + " of the PTX");
    }
    std::erase_if(running, [&](const auto &cluster) {
      for (const auto &block : cluster->blocks)
        for (; !block->loads.empty() &&
               std::all_of(block->warps.begin(), block->warps.end(),
                           [](const auto &w) { return w->isDone(); });) {
          block->loads.back()();
          block->loads.pop_back();
        }
      if (!std::all_of(cluster->blocks.begin(), cluster->blocks.end(),
                       [](const auto &block) { return block->isDone(); }))
        return false;
      for (const auto &block : cluster->blocks)
        finish(*block);
      return true;
    });
  }
}

} // namespace emulator
