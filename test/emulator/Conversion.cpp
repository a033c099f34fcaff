// Conversions between types.

#include "test/emulator/Bind.h"

#include <algorithm>
#include <limits>

namespace emulator {

/// The rounding of a value to an integer.
enum class Whole { Not, Nearest, Zero, Down, Up };

static Whole wholeOf(const Instruction &instruction) {
  if (instruction.has("rni"))
    return Whole::Nearest;
  if (instruction.has("rzi"))
    return Whole::Zero;
  if (instruction.has("rmi"))
    return Whole::Down;
  if (instruction.has("rpi"))
    return Whole::Up;
  return Whole::Not;
}

static double round(double value, Whole whole) {
  switch (whole) {
  case Whole::Not:
    return value;
  case Whole::Nearest:
    return std::nearbyint(value);
  case Whole::Zero:
    return std::trunc(value);
  case Whole::Down:
    return std::floor(value);
  case Whole::Up:
    return std::ceil(value);
  }
  return value;
}

/// Values outside of the type become its nearest bound; NaN becomes zero.
template <typename T> static T saturate(double value) {
  if (std::isnan(value))
    return 0;
  if (value <= static_cast<double>(std::numeric_limits<T>::min()))
    return std::numeric_limits<T>::min();
  if (value >= static_cast<double>(std::numeric_limits<T>::max()))
    return std::numeric_limits<T>::max();
  return static_cast<T>(value);
}

static Direction directionOf(const Instruction &instruction) {
  if (instruction.has("rz"))
    return Direction::Zero;
  if (instruction.has("rm"))
    return Direction::Down;
  return instruction.has("rp") ? Direction::Up : Direction::Nearest;
}

/// Adjusts `nearest`, which is above or below the exact value, to the direction
/// of the instruction.
template <typename Float>
static Float inDirection(Float nearest, bool isAbove, bool isBelow,
                         const Instruction &instruction) {
  const auto infinity = static_cast<Float>(HUGE_VAL);
  switch (directionOf(instruction)) {
  case Direction::Nearest:
    return nearest;
  case Direction::Zero:
    return (isAbove && nearest > 0) || (isBelow && nearest < 0)
               ? std::nextafter(nearest, Float(0))
               : nearest;
  case Direction::Down:
    return isAbove ? std::nextafter(nearest, -infinity) : nearest;
  case Direction::Up:
    return isBelow ? std::nextafter(nearest, infinity) : nearest;
  }
  return nearest;
}

static float narrowTo(double value, const Instruction &instruction) {
  const auto nearest = static_cast<float>(value);
  return inDirection(nearest, static_cast<double>(nearest) > value,
                     static_cast<double>(nearest) < value, instruction);
}

/// Returns the bits of a float with the low 13 bits cleared, which tf32
/// ignores.
static uint32_t encodeTf32(float value, const Instruction &instruction) {
  constexpr uint32_t kDropped = 0x1fff, kHalf = 0x1000;
  const auto bits = bitsAs<uint32_t>(value);
  if (std::isnan(value))
    return 0x7fffffff & ~kDropped;
  if (instruction.has("rz"))
    return bits & ~kDropped;
  // rn rounds ties to even, rna away from zero.
  const bool isDownAtTies = instruction.has("rn") && !(bits & 2 * kHalf);
  return (bits + kHalf - isDownAtTies) & ~kDropped;
}

static uint64_t encode(double value, const std::string &type,
                       const Instruction &instruction) {
  if (instruction.has("relu") && !(value > 0) && !std::isnan(value))
    value = 0;
  if (instruction.has("sat"))
    value = std::isnan(value) ? 0 : std::clamp(value, 0.0, 1.0);
  if (type == "f64")
    return toBits(value);
  if (type == "f32") {
    const float narrow = narrowTo(value, instruction);
    const bool isFlushed =
        instruction.has("ftz") && std::fpclassify(narrow) == FP_SUBNORMAL;
    return toBits(isFlushed ? std::copysign(0.0f, narrow) : narrow);
  }
  const FloatFormat *format = formatOf(type);
  if (type == "tf32")
    return encodeTf32(static_cast<float>(value), instruction);
  return format->encode(value, instruction.has("satfinite"),
                        directionOf(instruction));
}

static double decodeAs(uint64_t bits, const std::string &type) {
  if (type == "f64")
    return fromBits<double>(bits);
  if (type == "f32")
    return fromBits<float>(bits);
  const FloatFormat *format = formatOf(type);
  return format->decode(static_cast<uint32_t>(bits) &
                        (2 * format->signBit() - 1));
}

static bool isFloating(const std::string &type) {
  return type == "f32" || type == "f64" || formatOf(type);
}

/// Packs two values of one register, or of two operands, the higher one first.
static Action bindPacked(const Instruction &instruction, const std::string &to,
                         const std::string &from) {
  const std::vector<Operand> o = instruction.operands;
  const unsigned width = 4 * bytesOfType(to);
  const unsigned fromWidth = 4 * bytesOfType(from);
  const bool fromPacked = o.size() == 2;
  return perLane([=, copy = instruction](Warp &warp, unsigned lane) {
    double low, high;
    if (fromPacked) {
      const uint64_t bits = warp.get(o[1], lane);
      low = decodeAs(bits & ((1u << fromWidth) - 1), from);
      high = decodeAs(bits >> fromWidth, from);
    } else {
      high = decodeAs(warp.get(o[1], lane), from);
      low = decodeAs(warp.get(o[2], lane), from);
    }
    warp.set(o[0], lane,
             encode(low, to, copy) | encode(high, to, copy) << width);
  });
}

/// An integer as a double with round-to-odd, which a rounding to any smaller
/// format may follow (see `addToOdd`).
template <typename From> static double widenToOdd(From value) {
  const auto nearest = static_cast<double>(value);
  const __int128 rest =
      static_cast<__int128>(value) - static_cast<__int128>(nearest);
  return addToOdd(nearest, static_cast<double>(rest));
}

template <typename From>
static Action fromInteger(const Instruction &instruction,
                          const std::string &to) {
  const std::vector<Operand> o = instruction.operands;
  const bool saturates = instruction.has("sat");
  if (to == "f64")
    return perLane([=, copy = instruction](Warp &warp, unsigned lane) {
      const From value = fromBits<From>(warp.get(o[1], lane));
      const auto nearest = static_cast<double>(value);
      const auto whole = static_cast<__int128>(nearest);
      warp.set(
          o[0], lane,
          toBits(inDirection(nearest, whole > value, whole < value, copy)));
    });
  if (isFloating(to))
    return perLane([=, copy = instruction](Warp &warp, unsigned lane) {
      const From value = fromBits<From>(warp.get(o[1], lane));
      warp.set(o[0], lane, encode(widenToOdd(value), to, copy));
    });
  Action made;
  withType(to, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T>)
      made = perLane([=](Warp &warp, unsigned lane) {
        const From value = fromBits<From>(warp.get(o[1], lane));
        auto wide = static_cast<__int128>(value);
        if (saturates)
          wide = std::clamp<__int128>(wide, std::numeric_limits<T>::min(),
                                      std::numeric_limits<T>::max());
        warp.set(o[0], lane, toBits<T>(static_cast<T>(wide)));
      });
  });
  return made;
}

static Action fromFloating(const Instruction &instruction,
                           const std::string &to, const std::string &from) {
  const std::vector<Operand> o = instruction.operands;
  const Whole whole = wholeOf(instruction);
  const auto read = [=](Warp &warp, unsigned lane) {
    return round(decodeAs(warp.get(o[1], lane), from), whole);
  };
  if (isFloating(to))
    return perLane([=, copy = instruction](Warp &warp, unsigned lane) {
      warp.set(o[0], lane, encode(read(warp, lane), to, copy));
    });
  Action made;
  withType(to, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T>)
      made = perLane([=](Warp &warp, unsigned lane) {
        warp.set(o[0], lane, toBits<T>(saturate<T>(read(warp, lane))));
      });
  });
  return made;
}

Action bindConversion(const Instruction &instruction) {
  if (instruction.words[0] != "cvt")
    return {};
  const std::string from = instruction.words.back();
  const std::string to = instruction.words[instruction.words.size() - 2];
  if (instruction.words[1] == "pack" || instruction.has("rs"))
    return {};
  if (to.size() > 2 && to.substr(to.size() - 2) == "x2")
    return bindPacked(instruction, to, from);
  if (isFloating(from))
    return fromFloating(instruction, to, from);
  Action made;
  withType(from, [&](auto tag) {
    using T = typename decltype(tag)::Type;
    if constexpr (std::is_integral_v<T>)
      made = fromInteger<T>(instruction, to);
  });
  return made;
}

} // namespace emulator
