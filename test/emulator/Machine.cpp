#include "test/emulator/Machine.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <sys/mman.h>

namespace emulator {

LowMemory::LowMemory(size_t bytes) : bytes(bytes) {
  if (!bytes)
    return;
  void *found = mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_32BIT, -1, 0);
  if (found == MAP_FAILED)
    throw Failure("no memory below 4 GiB is left");
  begin = static_cast<char *>(found);
}

LowMemory::~LowMemory() {
  if (begin)
    munmap(begin, bytes);
}

bool Allocations::contains(uint64_t address, size_t bytes) const {
  auto behind = known.upper_bound(address);
  if (behind == known.begin())
    return false;
  const auto &[begin, size] = *--behind;
  return address - begin + bytes <= size;
}

Warp::Warp(Launch &launch, Block &block, unsigned index, uint32_t lanes)
    : launch(launch), block(block), index(index), alive(lanes),
      registers(launch.program.registerBytes),
      locals((size_t(launch.program.localBytes) + 15) / 16 * 16 * kLanes),
      localBytes((launch.program.localBytes + 15) / 16 * 16) {
  std::fill(std::begin(pc), std::end(pc), launch.kernel.entry);
  // Nothing may depend on what was never written.
  for (char &byte : registers)
    byte = static_cast<char>(launch.random.below(256));
  for (size_t i = 0; i < locals.size(); ++i)
    locals.data()[i] = static_cast<char>(launch.random.below(256));
}

uint64_t Warp::valueOf(Special special, unsigned lane) const {
  const Configuration &c = launch.configuration;
  const unsigned thread = index * kLanes + lane;
  const Dimensions &b = block.index;
  switch (special) {
  case Special::ThreadX:
    return thread % c.threads.x;
  case Special::ThreadY:
    return thread / c.threads.x % c.threads.y;
  case Special::ThreadZ:
    return thread / c.threads.x / c.threads.y;
  case Special::ThreadsX:
    return c.threads.x;
  case Special::ThreadsY:
    return c.threads.y;
  case Special::ThreadsZ:
    return c.threads.z;
  case Special::BlockX:
    return b.x;
  case Special::BlockY:
    return b.y;
  case Special::BlockZ:
    return b.z;
  case Special::BlocksX:
    return c.grid.x;
  case Special::BlocksY:
    return c.grid.y;
  case Special::BlocksZ:
    return c.grid.z;
  case Special::Lane:
    return lane;
  case Special::Warp:
    return index;
  case Special::Warps:
    return block.warps.size();
  case Special::BlockInClusterX:
    return b.x % c.cluster.x;
  case Special::BlockInClusterY:
    return b.y % c.cluster.y;
  case Special::BlockInClusterZ:
    return b.z % c.cluster.z;
  case Special::ClusterX:
    return c.cluster.x;
  case Special::ClusterY:
    return c.cluster.y;
  case Special::ClusterZ:
    return c.cluster.z;
  case Special::RankInCluster:
    return block.rank;
  case Special::BlocksOfCluster:
    return c.cluster.count();
  case Special::ClusterIdX:
    return b.x / c.cluster.x;
  case Special::ClusterIdY:
    return b.y / c.cluster.y;
  case Special::ClusterIdZ:
    return b.z / c.cluster.z;
  case Special::ClustersX:
    return c.grid.x / c.cluster.x;
  case Special::ClustersY:
    return c.grid.y / c.cluster.y;
  case Special::ClustersZ:
    return c.grid.z / c.cluster.z;
  case Special::Multiprocessor:
    return block.cluster.number % c.clustersAtOnce;
  case Special::Multiprocessors:
    return c.clustersAtOnce;
  case Special::Clock:
    return launch.clock;
  case Special::LanesEqual:
    return 1u << lane;
  case Special::LanesBefore:
    return (1u << lane) - 1;
  case Special::LanesUpTo:
    return (2u << lane) - 1;
  case Special::LanesAfter:
    return static_cast<uint32_t>(~((2u << lane) - 1));
  case Special::LanesFrom:
    return static_cast<uint32_t>(~((1u << lane) - 1));
  case Special::DynamicSharedBytes:
    return c.dynamicSharedBytes;
  case Special::AllSharedBytes:
    return launch.program.staticSharedBytes + c.dynamicSharedBytes;
  }
  return 0;
}

uint64_t Warp::get(const Operand &operand, unsigned lane) {
  switch (operand.kind) {
  case Operand::InRegister:
    return get(operand.reg, lane);
  case Operand::Immediate:
    return operand.bits;
  case Operand::OfMachine:
    return valueOf(operand.special, lane);
  case Operand::Symbol:
    switch (operand.space) {
    case Space::Parameter:
      return reinterpret_cast<uint64_t>(launch.parameters.data()) +
             operand.bits;
    case Space::Local:
      return reinterpret_cast<uint64_t>(local(lane)) + operand.bits;
    default:
      return operand.bits;
    }
  default:
    throw Failure("'" + operand.text + "' is no value");
  }
}

static std::string hex(uint64_t value) {
  char text[20];
  std::snprintf(text, sizeof(text), "0x%llx",
                static_cast<unsigned long long>(value));
  return text;
}

static bool isInside(uint64_t address, size_t bytes, const char *begin,
                     size_t size) {
  const auto start = reinterpret_cast<uint64_t>(begin);
  return address >= start && address + bytes <= start + size;
}

char *Warp::memory(Space space, uint64_t address, size_t bytes, unsigned lane) {
  // What several elements are read at is aligned for all of them.
  if (address % std::min<size_t>(std::bit_floor(bytes), 16))
    throw Failure("address " + hex(address) + " is not aligned for " +
                  std::to_string(bytes) + " bytes");
  if (space == Space::Generic && address >> 56 == kSharedWindow >> 56) {
    space = Space::Shared;
    address &= ~kSharedWindow;
  }
  if (space == Space::Shared)
    return block.shared(address, bytes);
  char *memory = reinterpret_cast<char *>(address);
  if (space != Space::Local && launch.allocations.contains(address, bytes))
    return memory;
  if (isInside(address, bytes, locals.data(), locals.size()) ||
      isInside(address, bytes, launch.parameters.data(),
               launch.parameters.size()))
    return memory;
  for (const LowMemory &global : launch.program.globals)
    if (isInside(address, bytes, global.data(), global.size()))
      return memory;
  throw Failure("thread " + std::to_string(index * kLanes + lane) +
                " touches " + std::to_string(bytes) + " bytes at " +
                hex(address) + ", which are not allocated");
}

uint32_t Warp::guarded(const Instruction &instruction, uint32_t lanes) {
  if (!instruction.guard)
    return lanes;
  uint32_t chosen = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (lanes >> lane & 1 &&
        (get(*instruction.guard, lane) & 1) != instruction.isGuardNegated)
      chosen |= 1u << lane;
  return chosen;
}

/// The lanes that go on: those that are at the first place, as it mostly brings
/// lanes together again that took different ways.
uint32_t Warp::pick() {
  uint32_t candidates = alive & ~parked;
  if (!candidates)
    return 0;
  if (candidates & ~postponed)
    candidates &= ~postponed;
  else
    postponed = 0;
  size_t first = SIZE_MAX;
  uint32_t lanes = 0;
  for (uint32_t left = candidates; left; left &= left - 1) {
    const auto lane = static_cast<unsigned>(std::countr_zero(left));
    if (pc[lane] < first) {
      first = pc[lane];
      lanes = 0;
    }
    if (pc[lane] == first)
      lanes |= 1u << lane;
  }
  return lanes;
}

/// Whether all lanes that an instruction wants are there; then `lanes` are
/// these. Parks those that have to wait.
bool Warp::gather(const Instruction &instruction, uint32_t &lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  uint32_t here = 0;
  for (unsigned lane = 0; lane < kLanes; ++lane)
    if (alive >> lane & 1 && pc[lane] == pc[first])
      here |= 1u << lane;
  uint32_t wanted = alive;
  if (instruction.members)
    wanted &= static_cast<uint32_t>(get(*instruction.members, first));
  if (wanted & ~here) {
    parked |= here;
    return false;
  }
  parked &= ~here;
  postponed &= ~here;
  lanes = here;
  return true;
}

Outcome Warp::execute(uint32_t lanes) {
  const auto first = static_cast<unsigned>(std::countr_zero(lanes));
  current = pc[first];
  const Instruction &instruction = launch.program.instructions[current];
  if (instruction.isCollective && !instruction.guard &&
      !gather(instruction, lanes))
    return Outcome::Done;
  hasMoved = true;
  const uint32_t chosen = guarded(instruction, lanes);
  const Outcome outcome =
      chosen ? instruction.run(*this, chosen) : Outcome::Done;
  const uint32_t stay = outcome == Outcome::Jumped  ? chosen
                        : outcome == Outcome::Again ? chosen
                                                    : 0;
  for (uint32_t left = lanes & ~stay; left; left &= left - 1)
    ++pc[std::countr_zero(left)];
  if (outcome == Outcome::Again || outcome == Outcome::Yield)
    postponed |= chosen;
  return outcome;
}

void Warp::explain(const std::string &problem) const {
  const Instruction &instruction = launch.program.instructions[current];
  throw Failure(
      "kernel '" + launch.kernel.name + "', block (" +
      std::to_string(block.index.x) + ", " + std::to_string(block.index.y) +
      ", " + std::to_string(block.index.z) + "), warp " +
      std::to_string(index) + ", line " + std::to_string(instruction.line) +
      " of the PTX (" + instruction.mnemonic() + "), line " +
      std::to_string(instruction.sourceLine) + " of the source: " + problem);
}

bool Warp::run(unsigned most) {
  bool isIdle = true;
  try {
    for (unsigned i = 0; i < most && alive; ++i) {
      uint32_t lanes = pick();
      if (!lanes) {
        if (!hasMoved)
          explain("lanes of the warp wait for each other in different places");
        // Some of those that others wait for may have ended.
        hasMoved = false;
        parked = 0;
        continue;
      }
      ++launch.clock;
      const Outcome outcome = execute(lanes);
      if (outcome == Outcome::Again || outcome == Outcome::Yield)
        return !isIdle;
      isIdle = false;
    }
  } catch (const Failure &failure) {
    if (std::string_view(failure.what()).substr(0, 8) == "kernel '")
      throw;
    explain(failure.what());
  }
  return !isIdle;
}

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

/// Does something that is pending, which of it is left to chance.
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
    return warp.products.runOne();
  case 1:
    return warp.copies[lane].runOne();
  default:
    return warp.stores[lane].runOne();
  }
}

/// Gives each warp a turn. False where none did anything.
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

/// What the threads of a block left behind is done, too.
static void finish(Block &block) {
  for (const auto &warp : block.warps) {
    while (warp->products.runOne())
      ;
    for (unsigned lane = 0; lane < kLanes; ++lane)
      while (warp->copies[lane].runOne() || warp->stores[lane].runOne())
        ;
  }
}

void Launch::run() {
  // Many more than anything that is pending takes.
  constexpr unsigned kMostIdleRounds = 20000;
  unsigned idleRounds = 0;
  while (nextCluster < clusterCount || !running.empty()) {
    while (running.size() < configuration.clustersAtOnce &&
           nextCluster < clusterCount)
      startCluster();
    idleRounds = runRound() ? 0 : idleRounds + 1;
    if (idleRounds > kMostIdleRounds ||
        clock > configuration.mostInstructions) {
      std::string places;
      for (const auto &block : running[0]->blocks)
        for (const auto &warp : block->warps)
          if (!warp->isDone())
            places +=
                " " + std::to_string(program.instructions[warp->current].line);
      throw Failure("kernel '" + kernel.name +
                    "' waits for ever; its first blocks do at the lines" +
                    places + " of the PTX");
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
