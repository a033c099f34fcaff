// Representation of values of PTX types in registers.
#ifndef TILEWRIGHT_TEST_EMULATOR_VALUES_H
#define TILEWRIGHT_TEST_EMULATOR_VALUES_H

#include <cmath>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <type_traits>

namespace emulator {

template <typename To, typename From> To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// Rounding directions of PTX: rn (ties to even), rz, rm and rp.
enum class Direction { Nearest, Zero, Down, Up };

/// A float format. `hasInfinity`: the largest exponent encodes infinities and
/// NaNs, as in IEEE 754; otherwise only all ones are NaN.
struct FloatFormat {
  int exponentBits, mantissaBits;
  bool hasInfinity;

  int bias() const { return (1 << (exponentBits - 1)) - 1; }
  uint32_t signBit() const { return 1u << (exponentBits + mantissaBits); }
  uint32_t largest() const {
    return hasInfinity ? (((1u << exponentBits) - 1) << mantissaBits) - 1
                       : signBit() - 2;
  }
  double decode(uint32_t bits) const;
  /// Rounds once. An overflow that rounds away from zero gives an infinity, or
  /// the largest number if `saturates` or if the format has no infinity.
  uint32_t encode(double value, bool saturates,
                  Direction direction = Direction::Nearest) const;
};

constexpr FloatFormat kHalf = {5, 10, true}, kBFloat = {8, 7, true},
                      kTf32 = {8, 10, true}, kE5M2 = {5, 2, true},
                      kE4M3 = {4, 3, false};

/// `a + b` with round-to-odd: an inexact sum becomes the neighbour with an odd
/// last bit. Rounding the result again to at most 51 bits equals one rounding
/// of the exact sum (S. Boldo and G. Melquiond, "Emulation of FMA and correctly
/// rounded sums: proved algorithms using rounding to odd", theorem 1).
double addToOdd(double a, double b);

/// `a * b + c` of f16 or bf16 values, with round-to-odd. `a * b` is exact: it
/// has at most 22 bits, from 2^-266 to 2^256.
inline double fmaToOdd(double a, double b, double c) {
  return addToOdd(a * b, c);
}

/// Types that compute in another type.
struct Half {
  uint16_t bits;
};
struct BFloat {
  uint16_t bits;
};
struct Predicate {
  uint8_t bits;
};

inline double decode(Half value) { return kHalf.decode(value.bits); }
inline double decode(BFloat value) {
  return bitsAs<float>(static_cast<uint32_t>(value.bits) << 16);
}
inline double decode(float value) { return value; }
inline double decode(double value) { return value; }

/// Returns the format of the named type (for "f16x2", that of its elements), or
/// null.
const FloatFormat *formatOf(std::string_view type);

template <typename T>
constexpr bool isFloat = std::is_floating_point_v<T> ||
                         std::is_same_v<T, Half> || std::is_same_v<T, BFloat>;

template <typename T> T fromBits(uint64_t bits) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return {static_cast<uint16_t>(bits)};
  else if constexpr (std::is_same_v<T, Predicate>)
    return {static_cast<uint8_t>(bits & 1)};
  else if constexpr (std::is_same_v<T, float>)
    return bitsAs<float>(static_cast<uint32_t>(bits));
  else if constexpr (std::is_same_v<T, double>)
    return bitsAs<double>(bits);
  else
    return static_cast<T>(bits);
}

template <typename T> uint64_t toBits(T value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat> ||
                std::is_same_v<T, Predicate>)
    return value.bits;
  else if constexpr (std::is_same_v<T, float>)
    return bitsAs<uint32_t>(value);
  else if constexpr (std::is_same_v<T, double>)
    return bitsAs<uint64_t>(value);
  else
    return static_cast<uint64_t>(static_cast<int64_t>(value));
}

template <typename T> T encodeAs(double value) {
  if constexpr (std::is_same_v<T, Half>)
    return {static_cast<uint16_t>(kHalf.encode(value, false))};
  else if constexpr (std::is_same_v<T, BFloat>)
    return {static_cast<uint16_t>(kBFloat.encode(value, false))};
  else
    return static_cast<T>(value);
}

template <typename T> struct Tag {
  using Type = T;
};

/// Calls `body` with the tag of an arithmetic type; returns false for other
/// types.
template <typename Body> bool withType(std::string_view type, Body body) {
  if (type == "pred")
    body(Tag<Predicate>());
  else if (type == "s8")
    body(Tag<int8_t>());
  else if (type == "u8" || type == "b8")
    body(Tag<uint8_t>());
  else if (type == "s16")
    body(Tag<int16_t>());
  else if (type == "u16" || type == "b16")
    body(Tag<uint16_t>());
  else if (type == "s32")
    body(Tag<int32_t>());
  else if (type == "u32" || type == "b32")
    body(Tag<uint32_t>());
  else if (type == "s64")
    body(Tag<int64_t>());
  else if (type == "u64" || type == "b64")
    body(Tag<uint64_t>());
  else if (type == "f16")
    body(Tag<Half>());
  else if (type == "bf16")
    body(Tag<BFloat>());
  else if (type == "f32")
    body(Tag<float>());
  else if (type == "f64")
    body(Tag<double>());
  else
    return false;
  return true;
}

/// Flushes subnormal numbers to zero.
template <typename T> T flush(T value) {
  if constexpr (std::is_same_v<T, float>)
    if (std::fpclassify(value) == FP_SUBNORMAL)
      return std::copysign(0.0f, value);
  return value;
}

/// The type in which values are computed.
template <typename T>
using Wide = std::conditional_t<std::is_same_v<T, float>, float,
                                std::conditional_t<isFloat<T>, double, T>>;

template <typename T> Wide<T> widen(uint64_t bits) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return decode(fromBits<T>(bits));
  else
    return fromBits<T>(bits);
}

template <typename T> uint64_t narrow(Wide<T> value) {
  if constexpr (std::is_same_v<T, Half> || std::is_same_v<T, BFloat>)
    return toBits(encodeAs<T>(value));
  else
    return toBits<T>(value);
}

} // namespace emulator

#endif // TILEWRIGHT_TEST_EMULATOR_VALUES_H
