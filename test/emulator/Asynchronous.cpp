// Asynchronous copies by threads and by TMA, and the barriers in shared memory
// that track them.

#include "test/emulator/Bind.h"
#include "test/emulator/TensorMap.h"

#include <algorithm>

namespace emulator {

namespace {
/// A barrier in shared memory: its phase, the arrivals per phase and those
/// pending, and the pending bytes. `isUnseen`: no thread has waited for the
/// previous phase, which has ended.
struct Transactions {
  static constexpr int64_t kMost = (1 << 20) - 1;
  uint64_t phase, expected, pending;
  int64_t bytes;
  bool isUnseen;

  static Transactions read(const char *memory) {
    uint64_t word;
    std::memcpy(&word, memory, sizeof(word));
    return {word >> 63, word >> 42 & kMost, word >> 22 & kMost,
            static_cast<int64_t>(word & 0x3fffff) - kMost,
            (word >> 62 & 1) != 0};
  }
  void write(char *memory) {
    if (pending == 0 && bytes == 0) {
      phase ^= 1;
      pending = expected;
      isUnseen = true;
    }
    if (bytes < -kMost || bytes > kMost)
      throw Failure("a barrier that counts more than 2^20 bytes");
    const uint64_t word = phase << 63 | uint64_t{isUnseen} << 62 |
                          expected << 42 | pending << 22 |
                          static_cast<uint64_t>(bytes + kMost);
    std::memcpy(memory, &word, sizeof(word));
  }
  void arrive(uint64_t count) {
    // A wait by parity would confuse the new phase with that one.
    if (isUnseen)
      throw Failure("arrives at a barrier whose last phase nobody waited for");
    if (count > pending)
      throw Failure("more arrivals at a barrier than it expects");
    pending -= count;
  }
};
} // namespace

static void addTransactions(Block &block, uint64_t barrier, int64_t bytes) {
  char *memory = block.shared(barrier, 8);
  Transactions state = Transactions::read(memory);
  state.bytes += bytes;
  state.write(memory);
}

static Action bindArrival(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool returns = o[0].kind != Operand::Address;
  const size_t at = returns ? 1 : 0;
  const bool expects = instruction.has("expect_tx");
  const bool arrives = instruction.words[1] == "arrive";
  const bool drops = instruction.words[1] == "arrive_drop";
  return perLane([=](Warp &warp, unsigned lane) {
    char *memory = warp.memory(Space::Shared, o[at], 8, lane);
    Transactions state = Transactions::read(memory);
    uint64_t count = 1;
    if (o.size() > at + 1) {
      const uint64_t number = warp.get(o[at + 1], lane) & 0xffffffff;
      if (expects)
        state.bytes += static_cast<int64_t>(number);
      else
        count = number;
    }
    // Waits for this phase name the state before the arrival.
    if (returns)
      warp.set(o[0], lane, state.phase << 63);
    if (drops)
      --state.expected;
    if (arrives || drops)
      state.arrive(count);
    state.write(memory);
  });
}

static Action bindWait(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool byParity = instruction.has("parity");
  const bool tries = instruction.words[1] == "try_wait";
  return [=](Warp &warp, uint32_t lanes) {
    uint32_t done = 0;
    forLanes(lanes, [&](unsigned lane) {
      char *memory = warp.memory(Space::Shared, o[1], 8, lane);
      Transactions state = Transactions::read(memory);
      const uint64_t wanted = warp.get(o[2], lane);
      const uint64_t phase = byParity ? wanted & 1 : wanted >> 63;
      if (state.phase == phase)
        return;
      done |= 1u << lane;
      state.isUnseen = false;
      state.write(memory);
    });
    // The hardware may suspend threads that test for any time.
    if (tries && done != lanes)
      return Outcome::Again;
    forLanes(lanes,
             [&](unsigned lane) { warp.set(o[0], lane, done >> lane & 1); });
    return done == lanes ? Outcome::Done : Outcome::Yield;
  };
}

static Action bindBarrier(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string &what = instruction.words[1];
  if (what == "init")
    return perLane([=](Warp &warp, unsigned lane) {
      const uint64_t count = warp.get(o[1], lane) & 0xffffffff;
      Transactions state = {0, count, count, 0, false};
      state.write(warp.memory(Space::Shared, o[0], 8, lane));
    });
  if (what == "inval")
    return perLane([=](Warp &warp, unsigned lane) {
      std::memset(warp.memory(Space::Shared, o[0], 8, lane), 0xa5, 8);
    });
  if (what == "arrive" || what == "arrive_drop" || what == "expect_tx")
    return bindArrival(instruction);
  if (what == "complete_tx")
    return perLane([=](Warp &warp, unsigned lane) {
      addTransactions(warp.block, warp.address(o[0], lane),
                      -static_cast<int64_t>(warp.get(o[1], lane)));
    });
  if (what == "test_wait" || what == "try_wait")
    return bindWait(instruction);
  return {};
}

/// cp.async: a thread copies 4, 8 or 16 bytes. If its source is shorter, the
/// rest is zeros.
static Action bindThreadCopy(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const size_t bytes = o[2].bits;
  return perLane([=](Warp &warp, unsigned lane) {
    char *to = warp.memory(Space::Shared, o[0], bytes, lane);
    uint64_t size = bytes;
    if (o.size() > 3)
      size = std::min<uint64_t>(bytes, warp.get(o[3], lane) & 0xffffffff);
    const uint64_t from = warp.address(o[1], lane);
    warp.copies[lane].add([=, &warp] {
      std::memset(to, 0, bytes);
      if (size)
        std::memcpy(to, warp.memory(Space::Global, from, size, lane), size);
    });
  });
}

using Groups = Queue (Warp::*)[kLanes];

static Action bindGroups(const Instruction &instruction, Groups groups) {
  if (instruction.has("commit_group"))
    return perLane(
        [=](Warp &warp, unsigned lane) { (warp.*groups)[lane].commit(); });
  const bool all = instruction.has("wait_all");
  const uint64_t most = all ? 0 : instruction.operands[0].bits;
  return perLane([=](Warp &warp, unsigned lane) {
    if (all)
      (warp.*groups)[lane].commit();
    (warp.*groups)[lane].wait(most);
  });
}

namespace {
/// A box of an array and its address in shared memory.
struct Box {
  TensorMap map;
  int64_t first[5] = {};

  static Box read(Warp &warp, const Operand &operand, unsigned lane) {
    Box made;
    std::memcpy(&made.map,
                warp.memory(Space::Generic, warp.get(operand.parts[0], lane),
                            sizeof(TensorMap) + 0, lane),
                sizeof(TensorMap));
    if (made.map.mark != TensorMap::kMark)
      throw Failure("the operand is not a tensor map");
    const std::vector<Operand> coordinates = elementsOf(operand.parts[1]);
    if (coordinates.size() != made.map.rank)
      throw Failure("a tensor map of " + std::to_string(made.map.rank) +
                    " dimensions at " + std::to_string(coordinates.size()) +
                    " coordinates");
    for (size_t i = 0; i < coordinates.size(); ++i)
      made.first[i] =
          fromBits<int32_t>(warp.get(coordinates[i], lane) & 0xffffffff);
    const uint32_t inner = made.map.box[0] * made.map.elementBytes();
    if (made.swizzleSpan() && inner != made.swizzleSpan())
      throw Failure("rows of " + std::to_string(inner) +
                    " bytes in a swizzle of " +
                    std::to_string(made.swizzleSpan()));
    if (inner % 16)
      throw Failure("rows of " + std::to_string(inner) +
                    " bytes, no multiple of 16");
    return made;
  }

  uint32_t swizzleSpan() const { return map.swizzle ? 16u << map.swizzle : 0; }

  uint64_t bytes() const {
    uint64_t all = map.elementBytes();
    for (unsigned i = 0; i < map.rank; ++i)
      all *= map.box[i];
    return all;
  }

  /// Calls `body` with the address in shared memory and that of the element,
  /// which is null outside of the array.
  template <typename Body>
  void forElements(Warp &warp, uint64_t shared, unsigned lane,
                   Body body) const {
    const uint32_t size = map.elementBytes();
    if (shared % 128)
      throw Failure("a box in shared memory is not aligned to 128 bytes");
    uint32_t at[5] = {};
    for (uint64_t offset = 0; offset < bytes(); offset += size) {
      uint64_t address = map.base;
      bool isInside = true;
      for (unsigned i = 0; i < map.rank; ++i) {
        const int64_t index = first[i] + at[i];
        isInside &= index >= 0 && index < static_cast<int64_t>(map.sizes[i]);
        address +=
            static_cast<uint64_t>(index) * (i ? map.strides[i - 1] : size);
      }
      uint64_t sharedAddress = shared + offset;
      if (map.swizzle)
        sharedAddress ^= (sharedAddress >> 7 & ((1u << map.swizzle) - 1)) << 4;
      body(warp.block.shared(sharedAddress, size),
           isInside ? warp.memory(Space::Global, address, size, lane)
                    : nullptr);
      for (unsigned i = 0; i < map.rank && ++at[i] == map.box[i]; ++i)
        at[i] = 0;
    }
  }
};
} // namespace

/// The value of elements outside of the array.
static void fill(char *to, const TensorMap &map) {
  std::memset(to, 0, map.elementBytes());
  if (map.fill)
    std::memset(to, 0xff, map.elementBytes());
}

static constexpr uint64_t kOffsetMask = (1u << kRankShift) - 1;

/// The blocks that receive a load: the own one, that of the address, or those
/// of a mask.
static std::vector<Block *> receivers(Warp &warp, uint64_t address,
                                      const Operand &mask, unsigned lane) {
  Cluster &cluster = warp.block.cluster;
  std::vector<Block *> found;
  if (mask.kind == Operand::Sink) {
    const uint64_t number = address >> kRankShift;
    found.push_back(number ? cluster.blocks.at(number - 1).get() : &warp.block);
    return found;
  }
  const uint64_t bits = warp.get(mask, lane) & 0xffff;
  for (size_t i = 0; i < cluster.blocks.size(); ++i)
    if (bits >> i & 1)
      found.push_back(cluster.blocks[i].get());
  return found;
}

static Action bindBoxLoad(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const Operand mask = instruction.has("multicast::cluster") ? o[3] : Operand();
  return perLane([=](Warp &warp, unsigned lane) {
    const uint64_t to = warp.address(o[0], lane);
    const uint64_t barrier = warp.address(o[2], lane);
    const Box box = Box::read(warp, o[1], lane);
    for (Block *block : receivers(warp, to, mask, lane))
      block->loads.push_back([=] {
        // Any warp of the block serves: they share the memory.
        Warp &receiver = *block->warps[0];
        box.forElements(receiver, to & kOffsetMask, 0,
                        [&](char *shared, const char *global) {
                          if (global)
                            std::memcpy(shared, global, box.map.elementBytes());
                          else
                            fill(shared, box.map);
                        });
        addTransactions(*block, barrier & kOffsetMask,
                        -static_cast<int64_t>(box.bytes()));
      });
  });
}

/// The element type of the driver's number.
static const char *typeOf(uint8_t element) {
  constexpr const char *kTypes[] = {"u8",  "u16", "u32", "s32",  "u64", "s64",
                                    "f16", "f32", "f64", "bf16", "f32", "f32"};
  return element < std::size(kTypes) ? kTypes[element] : "f32";
}

static Action bindBoxStore(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool reduces = instruction.has("reduce");
  return perLane([=, copy = instruction](Warp &warp, unsigned lane) {
    const uint64_t from = warp.address(o[1], lane);
    const Box box = Box::read(warp, o[0], lane);
    const uint32_t bytes = box.map.elementBytes();
    const Update update =
        reduces ? findUpdate(copy, typeOf(box.map.element))
                : [](uint64_t, uint64_t a, uint64_t) { return a; };
    warp.stores[lane].add([=, &warp] {
      box.forElements(warp, from, lane, [&](char *shared, char *global) {
        if (!global)
          return;
        uint64_t old = 0, given = 0;
        std::memcpy(&old, global, bytes);
        std::memcpy(&given, shared, bytes);
        const uint64_t made = update(old, given, 0);
        std::memcpy(global, &made, bytes);
      });
    });
  });
}

/// Copies of contiguous bytes.
static Action bindBulkCopy(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  if (instruction.has("reduce"))
    return {};
  if (instruction.has("bulk_group"))
    return perLane([=](Warp &warp, unsigned lane) {
      const uint64_t size = warp.get(o[2], lane) & 0xffffffff;
      const uint64_t to = warp.address(o[0], lane),
                     from = warp.address(o[1], lane);
      warp.stores[lane].add([=, &warp] {
        std::memcpy(warp.memory(Space::Global, to, size, lane),
                    warp.memory(Space::Shared, from, size, lane), size);
      });
    });
  if (!instruction.has("global"))
    return {};
  return perLane([=](Warp &warp, unsigned lane) {
    const uint64_t size = warp.get(o[2], lane) & 0xffffffff;
    const uint64_t to = warp.address(o[0], lane),
                   from = warp.address(o[1], lane),
                   barrier = warp.address(o[3], lane);
    warp.block.loads.push_back([=, &warp] {
      std::memcpy(warp.memory(Space::Shared, to, size, lane),
                  warp.memory(Space::Global, from, size, lane), size);
      addTransactions(warp.block, barrier, -static_cast<int64_t>(size));
    });
  });
}

Action bindAsynchronous(const Instruction &instruction) {
  if (instruction.words[0] == "mbarrier")
    return bindBarrier(instruction);
  if (instruction.words[0] != "cp")
    return {};
  const bool isBulk = instruction.has("bulk");
  if (instruction.has("commit_group") || instruction.has("wait_group") ||
      instruction.has("wait_all"))
    return bindGroups(instruction, isBulk ? &Warp::stores : &Warp::copies);
  if (!isBulk && instruction.has("mbarrier"))
    // Arrives after all earlier copies of the thread.
    return [o = instruction.operands](Warp &warp, uint32_t lanes) {
      forLanes(lanes, [&](unsigned lane) {
        warp.copies[lane].commit();
        warp.copies[lane].wait(0);
        char *memory = warp.memory(Space::Shared, o[0], 8, lane);
        Transactions state = Transactions::read(memory);
        state.arrive(1);
        state.write(memory);
      });
      return Outcome::Done;
    };
  if (!isBulk)
    return bindThreadCopy(instruction);
  if (!instruction.has("tensor"))
    return bindBulkCopy(instruction);
  if (instruction.has("im2col") || instruction.has("tile::gather4"))
    return {};
  return instruction.has("bulk_group") ? bindBoxStore(instruction)
                                       : bindBoxLoad(instruction);
}

} // namespace emulator
