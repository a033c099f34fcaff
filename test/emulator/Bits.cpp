// Bit instructions: logic, shifts, fields and counts.

#include "test/emulator/Bind.h"

#include <algorithm>

namespace emulator {

/// Applies a function to the bits of registers of any kind, including
/// predicates.
template <typename Function>
static Action bitwise(const Instruction &instruction, Function function) {
  const std::vector<Operand> o = instruction.operands;
  const bool isPredicate = instruction.words.back() == "pred";
  return perLane([=](Warp &warp, unsigned lane) {
    const auto read = [&](size_t i) -> uint64_t {
      if (i >= o.size())
        return 0;
      return isPredicate ? warp.test(o[i], lane) : warp.get(o[i], lane);
    };
    const uint64_t result = function(read(1), read(2), read(3));
    warp.set(o[0], lane, isPredicate ? result & 1 : result);
  });
}

/// A shift by more than the width gives only the shifted-in bits.
static Action bindShift(const Instruction &instruction, bool isLeft) {
  const std::vector<Operand> o = instruction.operands;
  Action made;
  withType(instruction.words.back(), [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T>)
      made = perLane([=](Warp &warp, unsigned lane) {
        constexpr uint64_t kBits = 8 * sizeof(T);
        const T value = fromBits<T>(warp.get(o[1], lane));
        const uint64_t by = warp.get(o[2], lane) & 0xffffffff;
        uint64_t result;
        if (isLeft)
          result = by < kBits ? static_cast<uint64_t>(value) << by : 0;
        else
          result = toBits<T>(static_cast<T>(
              by < kBits ? value >> by : (value < 0 ? T(-1) : T(0))));
        warp.set(o[0], lane, result);
      });
  });
  return made;
}

/// Shifts two registers as one.
static Action bindFunnel(const Instruction &instruction) {
  const bool isLeft = instruction.has("l"), wraps = instruction.has("wrap");
  return bitwise(instruction, [=](uint64_t low, uint64_t highPart, uint64_t n) {
    n &= 0xffffffff;
    const uint64_t by = wraps ? n & 31 : std::min<uint64_t>(n, 32);
    const uint64_t both = highPart << 32 | low;
    return isLeft ? (both << by) >> 32 : both >> by;
  });
}

static uint64_t permute(uint64_t a, uint64_t b, uint64_t selector) {
  const uint64_t both = (b & 0xffffffff) << 32 | (a & 0xffffffff);
  uint64_t result = 0;
  for (unsigned i = 0; i < 4; ++i) {
    const uint64_t choice = selector >> (4 * i) & 0xf;
    uint64_t byte = both >> (8 * (choice & 7)) & 0xff;
    if (choice & 8)
      byte = byte & 0x80 ? 0xff : 0;
    result |= byte << (8 * i);
  }
  return result;
}

static uint64_t lookUp(uint64_t a, uint64_t b, uint64_t c, uint64_t table) {
  uint64_t result = 0;
  for (unsigned i = 0; i < 32; ++i) {
    const uint64_t at = (a >> i & 1) << 2 | (b >> i & 1) << 1 | (c >> i & 1);
    result |= (table >> at & 1) << i;
  }
  return result;
}

static Action bindLogic(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  const std::vector<Operand> &o = instruction.operands;
  if (name == "and")
    return bitwise(instruction,
                   [](uint64_t a, uint64_t b, uint64_t) { return a & b; });
  if (name == "or")
    return bitwise(instruction,
                   [](uint64_t a, uint64_t b, uint64_t) { return a | b; });
  if (name == "xor")
    return bitwise(instruction,
                   [](uint64_t a, uint64_t b, uint64_t) { return a ^ b; });
  if (name == "not")
    return bitwise(instruction,
                   [](uint64_t a, uint64_t, uint64_t) { return ~a; });
  if (name == "cnot")
    return bitwise(instruction,
                   [](uint64_t a, uint64_t, uint64_t) { return a == 0; });
  if (name == "prmt" && instruction.words.size() == 2)
    return bitwise(instruction, permute);
  if (name == "shf")
    return bindFunnel(instruction);
  if (name == "lop3") {
    const uint64_t table = o[4].bits;
    return bitwise(instruction, [=](uint64_t a, uint64_t b, uint64_t c) {
      return lookUp(a, b, c, table);
    });
  }
  return {};
}

/// Bit fields: position and length are truncated to 8 bits.
static Action bindField(const Instruction &instruction) {
  const std::vector<Operand> o = instruction.operands;
  const std::string &type = instruction.words.back();
  const unsigned bits = type.substr(1) == "64" ? 64 : 32;
  const bool isSigned = type[0] == 's';
  const auto mask = [](unsigned count) {
    return count >= 64 ? ~uint64_t(0) : (uint64_t(1) << count) - 1;
  };
  if (instruction.words[0] == "bfi")
    return perLane([=](Warp &warp, unsigned lane) {
      const uint64_t a = warp.get(o[1], lane), b = warp.get(o[2], lane);
      const unsigned at = warp.get(o[3], lane) & 0xff,
                     count = warp.get(o[4], lane) & 0xff;
      const uint64_t field = at >= bits ? 0 : mask(count) << at & mask(bits);
      warp.set(o[0], lane, (b & ~field) | ((at >= 64 ? 0 : a << at) & field));
    });
  return perLane([=](Warp &warp, unsigned lane) {
    const uint64_t a = warp.get(o[1], lane) & mask(bits);
    const unsigned at = warp.get(o[2], lane) & 0xff,
                   count = warp.get(o[3], lane) & 0xff;
    uint64_t value = at >= bits ? 0 : a >> at & mask(count);
    const unsigned top = std::min(at + count - 1, bits - 1);
    if (isSigned && count && a >> top & 1) {
      const unsigned has = at >= bits ? 0 : std::min(count, bits - at);
      value |= ~mask(has);
    }
    warp.set(o[0], lane, value);
  });
}

/// Returns the position of the `count`-th set bit upwards from `base`, or
/// downwards if `count` is negative.
static uint64_t findNth(uint64_t mask, uint64_t base, uint64_t count) {
  auto left = fromBits<int32_t>(count);
  auto at = static_cast<int>(base & 31);
  if (left == 0)
    return mask >> at & 1 ? static_cast<uint64_t>(at) : 0xffffffff;
  const int step = left > 0 ? 1 : -1;
  for (; at >= 0 && at < 32; at += step)
    if (mask >> at & 1 && (left -= step) == 0)
      return static_cast<uint64_t>(at);
  return 0xffffffff;
}

static Action bindCount(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  const std::string type = instruction.words.back();
  const bool is64 = type.substr(1) == "64";
  const bool isSigned = type[0] == 's', asShift = instruction.has("shiftamt");
  if (name == "popc")
    return bitwise(instruction, [](uint64_t a, uint64_t, uint64_t) {
      return static_cast<uint64_t>(std::popcount(a));
    });
  if (name == "clz")
    return bitwise(instruction, [=](uint64_t a, uint64_t, uint64_t) {
      return static_cast<uint64_t>(std::countl_zero(a) - (is64 ? 0 : 32));
    });
  if (name == "brev")
    return bitwise(instruction, [=](uint64_t a, uint64_t, uint64_t) {
      uint64_t result = 0;
      for (unsigned i = 0; i < (is64 ? 64 : 32); ++i)
        result = result << 1 | (a >> i & 1);
      return result;
    });
  if (name == "fns")
    return bitwise(instruction, findNth);
  // bfind: the index of the highest bit that differs from the sign.
  return bitwise(instruction, [=](uint64_t a, uint64_t, uint64_t) -> uint64_t {
    const unsigned bits = is64 ? 64 : 32;
    if (isSigned && a >> (bits - 1) & 1)
      a = ~a & (is64 ? ~uint64_t(0) : 0xffffffff);
    if (a == 0)
      return 0xffffffff;
    const auto at = static_cast<uint64_t>(63 - std::countl_zero(a));
    return asShift ? bits - 1 - at : at;
  });
}

Action bindBits(const Instruction &instruction) {
  const std::string &name = instruction.words[0];
  if (name == "shl" || name == "shr")
    return bindShift(instruction, name == "shl");
  if (name == "bfe" || name == "bfi")
    return bindField(instruction);
  if (name == "popc" || name == "clz" || name == "brev" || name == "bfind" ||
      name == "fns")
    return bindCount(instruction);
  return bindLogic(instruction);
}

} // namespace emulator
