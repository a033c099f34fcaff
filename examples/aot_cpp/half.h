// Conversions between f16 bits and floating point.
#ifndef TILEWRIGHT_EXAMPLES_AOT_CPP_HALF_H
#define TILEWRIGHT_EXAMPLES_AOT_CPP_HALF_H

#include <cmath>
#include <cstdint>
#include <cstring>

/// Returns the value of a finite f16.
inline double toDouble(uint16_t bits) {
  const int exponent = bits >> 10 & 31;
  const int fraction = bits & 1023;
  const double size = exponent ? std::ldexp(1024 + fraction, exponent - 25)
                               : std::ldexp(fraction, -24);
  return bits & 0x8000 ? -size : size;
}

/// Returns the f16 nearest to `value`, which must be in the normal range of f16
/// or near 0.
inline uint16_t toHalf(float value) {
  const uint16_t sign = std::signbit(value) ? 0x8000 : 0;
  int exponent;
  const double fraction = std::frexp(std::fabs(value), &exponent);
  if (exponent < -13)
    return sign |
           static_cast<uint16_t>(std::lrint(std::ldexp(std::fabs(value), 24)));
  // If the fraction rounds up to the next power of two, it carries into the
  // exponent.
  const long digits = std::lrint(fraction * 2048) - 1024;
  return sign | static_cast<uint16_t>(((exponent + 14) << 10) + digits);
}

#endif // TILEWRIGHT_EXAMPLES_AOT_CPP_HALF_H
