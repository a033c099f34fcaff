// Loads, stores, atomic operations and conversions of addresses.

#include "test/emulator/Bind.h"

#include <algorithm>
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
  auto next = known.upper_bound(address);
  if (next == known.begin())
    return false;
  const auto &[begin, size] = *--next;
  return address - begin + bytes <= size;
}

uint32_t bytesOfType(std::string_view type) {
  if (type == "pred")
    return 1;
  if (type == "tf32")
    return 4;
  const size_t digits = type.find_first_of("0123456789");
  if (type.substr(0, 2) == "e4" || type.substr(0, 2) == "e5")
    return type.size() > 4 ? 2 : 1;
  const auto bits =
      static_cast<uint32_t>(std::stoul(std::string(type.substr(digits))));
  return type.find("x2") != std::string_view::npos ? bits / 4 : bits / 8;
}

Space spaceOf(const Instruction &instruction) {
  for (const std::string &word : instruction.words) {
    if (word == "global" || word == "const")
      return Space::Global;
    if (word.substr(0, 6) == "shared")
      return Space::Shared;
    if (word.substr(0, 5) == "param")
      return Space::Generic;
    if (word == "local")
      return Space::Local;
  }
  return Space::Generic;
}

/// Reads a value and sign-extends it to the register if its type is signed.
static uint64_t read(const char *memory, uint32_t bytes, bool isSigned) {
  uint64_t value = 0;
  std::memcpy(&value, memory, bytes);
  if (isSigned && bytes < 8) {
    const uint32_t by = 64 - 8 * bytes;
    value = static_cast<uint64_t>(static_cast<int64_t>(value << by) >> by);
  }
  return value;
}

static Action bindLoad(const Instruction &instruction) {
  const std::string &type = instruction.words.back();
  const uint32_t bytes = bytesOfType(type);
  const bool isSigned = type[0] == 's';
  const Space space = spaceOf(instruction);
  const Operand from = instruction.operands[1];
  const std::vector<Operand> to = elementsOf(instruction.operands[0]);
  return perLane([=](Warp &warp, unsigned lane) {
    const char *memory = warp.memory(space, from, bytes * to.size(), lane);
    for (size_t i = 0; i < to.size(); ++i)
      warp.set(to[i], lane, read(memory + i * bytes, bytes, isSigned));
  });
}

static Action bindStore(const Instruction &instruction) {
  const uint32_t bytes = bytesOfType(instruction.words.back());
  const Space space = spaceOf(instruction);
  const Operand to = instruction.operands[0];
  const std::vector<Operand> from = elementsOf(instruction.operands[1]);
  return perLane([=](Warp &warp, unsigned lane) {
    char *memory = warp.memory(space, to, bytes * from.size(), lane);
    for (size_t i = 0; i < from.size(); ++i) {
      const uint64_t value = warp.get(from[i], lane);
      std::memcpy(memory + i * bytes, &value, bytes);
    }
  });
}

static Action bindAddress(const Instruction &instruction) {
  const Operand to = instruction.operands[0], from = instruction.operands[1];
  const bool isShared = spaceOf(instruction) == Space::Shared;
  const bool fromGeneric = instruction.has("to");
  return perLane([=](Warp &warp, unsigned lane) {
    uint64_t value = warp.get(from, lane);
    if (isShared)
      value = fromGeneric ? value & ~kSharedWindow : value | kSharedWindow;
    warp.set(to, lane, value);
  });
}

/// Returns the address of the same offset in another block of the cluster.
static Action bindMapping(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const bool isGeneric = spaceOf(instruction) != Space::Shared;
  return perLane([=](Warp &warp, unsigned lane) {
    uint64_t address = warp.get(o[1], lane) & ~kSharedWindow;
    const uint64_t rank = warp.get(o[2], lane) & 0xffffffff;
    address &= (1u << kRankShift) - 1;
    address |= (rank + 1) << kRankShift;
    warp.set(o[0], lane, isGeneric ? address | kSharedWindow : address);
  });
}

static Action bindSpaceTest(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const Space space = spaceOf(instruction);
  return perLane([=](Warp &warp, unsigned lane) {
    const bool isShared = warp.get(o[1], lane) >> 56 == kSharedWindow >> 56;
    warp.set(o[0], lane, isShared == (space == Space::Shared));
  });
}

Action bindMemory(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "ld" || name == "ldu")
    return bindLoad(instruction);
  if (name == "st" && !instruction.has("async"))
    return bindStore(instruction);
  if (name == "cvta")
    return bindAddress(instruction);
  if (name == "mapa")
    return bindMapping(instruction);
  if (name == "isspacep")
    return bindSpaceTest(instruction);
  return {};
}

template <typename T> static Update updateOf(const std::string &how) {
  if constexpr (isFloat<T>) {
    if (how == "add")
      return [](uint64_t old, uint64_t a, uint64_t) {
        const auto x = fromBits<T>(old), y = fromBits<T>(a);
        if constexpr (std::is_same_v<T, float>)
          return toBits(x + y);
        else
          return toBits(encodeAs<T>(decode(x) + decode(y)));
      };
    if (how == "min" || how == "max")
      return [isLeast = how == "min"](uint64_t old, uint64_t a, uint64_t) {
        const double x = decode(fromBits<T>(old)), y = decode(fromBits<T>(a));
        return toBits(encodeAs<T>(isLeast ? std::fmin(x, y) : std::fmax(x, y)));
      };
  } else if constexpr (std::is_integral_v<T>) {
    if (how == "add")
      return [](uint64_t old, uint64_t a, uint64_t) { return old + a; };
    if (how == "min")
      return [](uint64_t old, uint64_t a, uint64_t) {
        return toBits<T>(std::min(fromBits<T>(old), fromBits<T>(a)));
      };
    if (how == "max")
      return [](uint64_t old, uint64_t a, uint64_t) {
        return toBits<T>(std::max(fromBits<T>(old), fromBits<T>(a)));
      };
    if (how == "inc")
      return [](uint64_t old, uint64_t a, uint64_t) -> uint64_t {
        return old >= a ? 0 : old + 1;
      };
    if (how == "dec")
      return [](uint64_t old, uint64_t a, uint64_t) -> uint64_t {
        return old == 0 || old > a ? a : old - 1;
      };
  }
  if (how == "and")
    return [](uint64_t old, uint64_t a, uint64_t) { return old & a; };
  if (how == "or")
    return [](uint64_t old, uint64_t a, uint64_t) { return old | a; };
  if (how == "xor")
    return [](uint64_t old, uint64_t a, uint64_t) { return old ^ a; };
  if (how == "exch")
    return [](uint64_t, uint64_t a, uint64_t) { return a; };
  return {};
}

Update findUpdate(const Instruction &instruction, const std::string &type) {
  const uint64_t mask = bytesOfType(type) == 8
                            ? ~uint64_t(0)
                            : (uint64_t(1) << 8 * bytesOfType(type)) - 1;
  if (instruction.has("cas"))
    return [mask](uint64_t old, uint64_t a, uint64_t b) {
      return (old & mask) == (a & mask) ? b : old;
    };
  Update found;
  withType(type, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    for (const char *how :
         {"add", "min", "max", "inc", "dec", "and", "or", "xor", "exch"})
      if (instruction.has(how))
        found = updateOf<T>(how);
  });
  return found;
}

Action bindAtomic(const Instruction &instruction) {
  const bool returns = instruction.words[0] == "atom";
  if (!returns && instruction.words[0] != "red")
    return {};
  if (instruction.has("async"))
    return {};
  std::string type = instruction.words.back();
  const bool isPacked = type.size() > 2 && type.substr(type.size() - 2) == "x2";
  if (isPacked)
    type.resize(type.size() - 2);
  const Update update = findUpdate(instruction, type);
  if (!update)
    return {};
  const uint32_t bytes = bytesOfType(instruction.words.back());
  const Space space = spaceOf(instruction);
  const size_t at = returns ? 1 : 0;
  const std::vector<Operand> o = instruction.operands;
  const std::vector<Operand> values = elementsOf(o[at + 1]);
  const std::vector<Operand> results =
      returns ? elementsOf(o[0]) : std::vector<Operand>(values.size());
  const Operand other = instruction.has("cas") ? o[at + 2] : Operand();
  return perLane([=](Warp &warp, unsigned lane) {
    char *memory = warp.memory(space, o[at], bytes * values.size(), lane);
    for (size_t i = 0; i < values.size(); ++i) {
      uint64_t old = 0;
      std::memcpy(&old, memory + i * bytes, bytes);
      const uint64_t a = warp.get(values[i], lane);
      const uint64_t b =
          other.kind == Operand::Sink ? 0 : warp.get(other, lane);
      const uint64_t made =
          isPacked ? (update(old & 0xffff, a & 0xffff, 0) & 0xffff) |
                         update(old >> 16, a >> 16 & 0xffff, 0) << 16
                   : update(old, a, b);
      std::memcpy(memory + i * bytes, &made, bytes);
      warp.set(results[i], lane, old);
    }
  });
}

} // namespace emulator
