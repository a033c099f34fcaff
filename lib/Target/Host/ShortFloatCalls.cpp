#include "lib/Target/Host/ShortFloatCalls.h"

#include <cstdint>
#include <cstring>

namespace tilewright::host {

#if defined(__x86_64__)

template <typename To, typename From> static To bitsAs(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

/// Returns the bits of `value` in a 16-bit format with `kMantissaBits` mantissa
/// bits. Rounds once, to nearest, ties to even: every float is exact as a
/// double.
template <int kMantissaBits> static uint16_t narrow(double value) {
  constexpr int kExponentBits = 15 - kMantissaBits;
  constexpr int kBias = (1 << (kExponentBits - 1)) - 1;
  constexpr uint64_t kInfinity = uint64_t((1 << kExponentBits) - 1)
                                 << kMantissaBits;
  const uint64_t bits = bitsAs<uint64_t>(value);
  const uint64_t sign = bits >> 63 << 15;
  const int sourceExponent = static_cast<int>(bits >> 52 & 0x7ff);
  const uint64_t fraction = bits & ((uint64_t(1) << 52) - 1);
  if (sourceExponent == 0x7ff) {
    // A NaN stays a quiet NaN with the upper part of its payload.
    const uint64_t payload = fraction ? (fraction >> (52 - kMantissaBits) |
                                         uint64_t(1) << (kMantissaBits - 1))
                                      : 0;
    return static_cast<uint16_t>(sign | kInfinity | payload);
  }
  int exponent = sourceExponent - 1023 + kBias;
  int shift = 52 - kMantissaBits;
  if (exponent < 1) { // Subnormal: fewer bits remain.
    shift += 1 - exponent < 64 - shift ? 1 - exponent : 63 - shift;
    exponent = 1;
  }
  const uint64_t significand = fraction | uint64_t(sourceExponent != 0) << 52;
  uint64_t kept = significand >> shift;
  const uint64_t lost = significand & ((uint64_t(1) << shift) - 1);
  const uint64_t half = uint64_t(1) << (shift - 1);
  if (lost > half || (lost == half && (kept & 1)))
    ++kept;
  // Both the leading bit of a normal number and a carry out of the mantissa add
  // one to the exponent field.
  const uint64_t magnitude = (uint64_t(exponent - 1) << kMantissaBits) + kept;
  return static_cast<uint16_t>(sign |
                               (magnitude < kInfinity ? magnitude : kInfinity));
}

static _Float16 floatToHalf(float value) {
  return bitsAs<_Float16>(narrow<10>(value));
}
static _Float16 doubleToHalf(double value) {
  return bitsAs<_Float16>(narrow<10>(value));
}
static __bf16 floatToBfloat(float value) {
  return bitsAs<__bf16>(narrow<7>(value));
}
static __bf16 doubleToBfloat(double value) {
  return bitsAs<__bf16>(narrow<7>(value));
}

static float halfToFloat(_Float16 value) {
  const uint32_t bits = bitsAs<uint16_t>(value);
  const uint32_t sign = bits >> 15 << 31;
  const uint32_t exponent = bits >> 10 & 31;
  const uint32_t fraction = bits & 1023;
  if (exponent == 0) {
    const float magnitude = static_cast<float>(fraction) * 0x1p-24f;
    return bitsAs<float>(sign | bitsAs<uint32_t>(magnitude));
  }
  if (exponent == 31)
    return bitsAs<float>(sign | 0x7f800000u | fraction << 13 |
                         (fraction ? 1u << 22 : 0));
  return bitsAs<float>(sign | (exponent + 127 - 15) << 23 | fraction << 13);
}

llvm::ArrayRef<HostSymbol> shortFloatConversions() {
  static const HostSymbol symbols[] = {
      {"__truncsfhf2", reinterpret_cast<void *>(floatToHalf)},
      {"__truncdfhf2", reinterpret_cast<void *>(doubleToHalf)},
      {"__truncsfbf2", reinterpret_cast<void *>(floatToBfloat)},
      {"__truncdfbf2", reinterpret_cast<void *>(doubleToBfloat)},
      {"__extendhfsf2", reinterpret_cast<void *>(halfToFloat)},
  };
  return symbols;
}

#else

// Other processors have conversion instructions.
llvm::ArrayRef<HostSymbol> shortFloatConversions() { return {}; }

#endif

} // namespace tilewright::host
