// The state of a running launch: blocks, warps, their registers and their
// memory.
//
// Warps run in time slices of random length in random order. Asynchronous
// operations complete at random times, as late as permitted. So a kernel that
// relies on an order without a guarantee gives different results.
#ifndef TILEWRIGHT_TEST_EMULATOR_MACHINE_H
#define TILEWRIGHT_TEST_EMULATOR_MACHINE_H

#include "test/emulator/Program.h"

#include <array>
#include <deque>

namespace emulator {

struct Dimensions {
  unsigned x = 1, y = 1, z = 1;
  uint64_t count() const { return uint64_t(x) * y * z; }
};

/// The allocations that programs may access: addresses and sizes. Any other
/// access of a launch is an error.
class Allocations {
public:
  void add(uint64_t address, size_t bytes) { known[address] = bytes; }
  bool remove(uint64_t address) { return known.erase(address); }
  bool contains(uint64_t address, size_t bytes) const;

private:
  std::map<uint64_t, size_t> known;
};

class Random {
public:
  explicit Random(uint64_t seed) : state(seed * 2 + 1) {}
  /// Below `end`.
  uint32_t below(uint32_t end) {
    state ^= state << 13;
    state ^= state >> 7;
    state ^= state << 17;
    return static_cast<uint32_t>((state >> 20) % end);
  }

private:
  uint64_t state;
};

struct Configuration {
  Dimensions grid, threads, cluster;
  uint32_t dynamicSharedBytes = 0;
  /// Number of clusters that run at the same time.
  unsigned clustersAtOnce = 1;
  /// Limit for all warps together; a kernel that exceeds it is considered to
  /// hang.
  uint64_t mostInstructions = UINT64_MAX;
};

class Launch;
class Block;

/// Deferred work, in program order.
class Queue {
public:
  using Work = std::function<void()>;

  void add(Work work) { pending.push_back({std::move(work), closed}); }
  /// Closes the group of the work added so far.
  void commit() { ++closed; }
  /// Runs work until at most `groups` groups are pending.
  void wait(uint64_t groups) {
    while (!pending.empty() && pending.front().group + groups < closed)
      runOne();
  }
  bool runOne() {
    if (pending.empty())
      return false;
    Work work = std::move(pending.front().work);
    pending.pop_front();
    work();
    return true;
  }

private:
  struct Item {
    Work work;
    uint64_t group;
  };
  std::deque<Item> pending;
  uint64_t closed = 0;
};

struct Barrier {
  unsigned arrived = 0;
  /// 0 if all remaining threads take part.
  unsigned expected = 0;
  uint64_t generation = 0;
  /// The instruction at which the arrived warps wait.
  const Instruction *waitingAt = nullptr;
  /// The combined values of the arrived threads.
  unsigned count = 0, threads = 0;
  unsigned lastCount = 0, lastThreads = 0;
};

class Warp {
public:
  Warp(Launch &launch, Block &block, unsigned index, uint32_t lanes);

  /// Runs up to `most` instructions. Returns false if it only waited.
  bool run(unsigned most);
  bool isDone() const { return alive == 0; }

  char *cell(Register reg, unsigned lane) {
    return registers.data() + reg.offset + lane * reg.bytes;
  }
  uint64_t get(Register reg, unsigned lane) {
    const char *at = cell(reg, lane);
    switch (reg.bytes) {
    case 1:
      return *reinterpret_cast<const uint8_t *>(at);
    case 2:
      return *reinterpret_cast<const uint16_t *>(at);
    case 4:
      return *reinterpret_cast<const uint32_t *>(at);
    default:
      return *reinterpret_cast<const uint64_t *>(at);
    }
  }
  /// Writes as many low bits as fit.
  void set(Register reg, unsigned lane, uint64_t bits) {
    char *at = cell(reg, lane);
    switch (reg.bytes) {
    case 1:
      *reinterpret_cast<uint8_t *>(at) = static_cast<uint8_t>(bits);
      break;
    case 2:
      *reinterpret_cast<uint16_t *>(at) = static_cast<uint16_t>(bits);
      break;
    case 4:
      *reinterpret_cast<uint32_t *>(at) = static_cast<uint32_t>(bits);
      break;
    default:
      *reinterpret_cast<uint64_t *>(at) = bits;
    }
  }
  uint64_t get(const Operand &operand, unsigned lane);
  bool test(const Operand &operand, unsigned lane) {
    return (get(operand, lane) & 1) != operand.isNegated;
  }
  /// Does nothing if the result is discarded.
  void set(const Operand &operand, unsigned lane, uint64_t bits) {
    if (operand.kind == Operand::InRegister)
      set(operand.reg, lane, bits);
  }

  /// Returns the address of an operand in brackets, in the program's view.
  /// Addresses of 32 bits wrap around.
  uint64_t address(const Operand &operand, unsigned lane) {
    const Operand &base = operand.parts[0];
    const uint64_t sum = get(base, lane) + operand.bits;
    const bool isShort =
        base.kind == Operand::InRegister && base.reg.bytes == 4;
    return isShort ? static_cast<uint32_t>(sum) : sum;
  }
  /// Returns the host memory of an address. Throws if the program may not
  /// access it.
  char *memory(Space space, uint64_t address, size_t bytes, unsigned lane);
  char *memory(Space space, const Operand &operand, size_t bytes,
               unsigned lane) {
    return memory(space, address(operand, lane), bytes, lane);
  }
  char *local(unsigned lane) { return locals.data() + lane * localBytes; }

  uint64_t valueOf(Special special, unsigned lane) const;

  Launch &launch;
  Block &block;
  const unsigned index;
  /// Threads that have not exited.
  uint32_t alive;
  size_t pc[kLanes] = {};
  std::vector<size_t> callers[kLanes];
  /// Index of the running instruction.
  size_t current = 0;

  /// Whether it waits at a barrier of the block or the cluster.
  bool isWaiting = false;
  uint64_t awaited = 0;
  bool hasArrivedInCluster = false;
  uint64_t clusterGeneration = 0;

  /// Carry bits of the last addition that set the carry, by lane.
  uint32_t carries = 0;

  /// Copies by threads, bulk stores and wgmmas.
  Queue copies[kLanes], stores[kLanes], wgmmas;

private:
  uint32_t pick();
  uint32_t guarded(const Instruction &instruction, uint32_t lanes);
  Outcome execute(uint32_t lanes);
  bool gather(const Instruction &instruction, uint32_t &lanes);
  [[noreturn]] void explain(const std::string &problem) const;

  std::vector<char> registers;
  LowMemory locals;
  const uint32_t localBytes;
  /// Lanes that wait for others of the warp.
  uint32_t parked = 0;
  /// Whether an instruction has run since the parked lanes were last released.
  bool hasMoved = true;
  /// Lanes that ran in this round and wait.
  uint32_t postponed = 0;
};

struct Cluster;

class Block {
public:
  Block(Launch &launch, Cluster &cluster, Dimensions index, unsigned rank);

  bool isDone() const;
  char *shared(uint64_t offset, size_t bytes);
  /// Releases barriers that only wait for exited threads.
  void releaseBarriers();
  unsigned threadsLeft() const;

  Launch &launch;
  Cluster &cluster;
  const Dimensions index;
  const unsigned rank;
  std::vector<std::unique_ptr<Warp>> warps;
  std::array<Barrier, 16> barriers;
  /// Copies into shared memory, which may complete in any order.
  std::vector<Queue::Work> loads;

private:
  std::vector<char> sharedMemory;
};

struct Cluster {
  uint64_t number = 0;
  std::vector<std::unique_ptr<Block>> blocks;
  uint64_t generation = 0;
};

class Launch {
public:
  Launch(const Program &program, const Function &kernel,
         const Configuration &configuration, std::vector<char> parameters,
         const Allocations &allocations, uint64_t seed);

  void run();

  const Program &program;
  const Function &kernel;
  const Configuration configuration;
  std::vector<char> parameters;
  const Allocations &allocations;
  Random random;
  uint64_t clock = 0;

private:
  void startCluster();
  bool runRound();

  uint64_t nextCluster = 0, clusterCount = 0;
  std::vector<std::unique_ptr<Cluster>> running;
};

/// Addresses in the shared memory of other blocks of the cluster have the rank
/// of the block plus 1 above the offset. Generic addresses have kSharedWindow
/// in addition.
constexpr unsigned kRankShift = 24;
constexpr uint64_t kSharedWindow = uint64_t(0x7f) << 56;

std::string hex(uint64_t value);

/// Returns the size of values of a PTX type.
uint32_t bytesOfType(std::string_view type);

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_MACHINE_H
