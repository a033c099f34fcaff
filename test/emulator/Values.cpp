#include "test/emulator/Values.h"

#include <algorithm>

namespace emulator {

double FloatFormat::decode(uint32_t bits) const {
  const uint32_t mantissa = bits & ((1u << mantissaBits) - 1);
  const int exponent =
      static_cast<int>(bits >> mantissaBits & ((1u << exponentBits) - 1));
  const double sign = bits & signBit() ? -1 : 1;
  const uint32_t magnitude = bits & (signBit() - 1);
  if (magnitude > largest()) {
    const bool isInfinite = hasInfinity && mantissa == 0;
    return isInfinite ? sign * HUGE_VAL : std::nan("");
  }
  const double fraction = std::ldexp(mantissa, -mantissaBits);
  return exponent == 0 ? sign * std::ldexp(fraction, 1 - bias())
                       : sign * std::ldexp(1 + fraction, exponent - bias());
}

/// The index of the magnitude among the numbers of the format, rounded to an
/// integer. Only the steps inside the binade have a fraction: the sum of both
/// parts has too many bits for a double before the rounding.
static double indexOf(const FloatFormat &format, double magnitude,
                      double (*round)(double)) {
  if (magnitude == 0)
    return 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // 1.0 has exponent 0 here. Subnormal numbers share the least exponent.
  exponent = std::max(exponent - 1, 1 - format.bias());
  const double steps =
      round(std::ldexp(magnitude, format.mantissaBits - exponent));
  return std::ldexp(exponent + format.bias() - 1, format.mantissaBits) + steps;
}

static double roundToEven(double value) { return std::nearbyint(value); }
static double roundDown(double value) { return std::floor(value); }
static double roundUp(double value) { return std::ceil(value); }

uint32_t FloatFormat::encode(double value, bool saturates,
                             Direction direction) const {
  const bool isNegative = std::signbit(value);
  const uint32_t sign = isNegative ? signBit() : 0;
  if (std::isnan(value))
    return signBit() - 1;
  const uint32_t beyond = saturates     ? largest()
                          : hasInfinity ? largest() + 1
                                        : signBit() - 1;
  if (std::isinf(value))
    return sign | beyond;
  const bool isNearest = direction == Direction::Nearest;
  const bool growsMagnitude =
      direction == (isNegative ? Direction::Down : Direction::Up);
  const double index = indexOf(*this, std::fabs(value),
                               isNearest        ? roundToEven
                               : growsMagnitude ? roundUp
                                                : roundDown);
  if (index <= largest())
    return sign | static_cast<uint32_t>(index);
  return sign | (isNearest || growsMagnitude ? beyond : largest());
}

double addToOdd(double a, double b) {
  // D. Knuth's TwoSum: `sum + rest` is exactly `a + b`.
  const double sum = a + b, part = sum - a;
  const double rest = (a - (sum - part)) + (b - part);
  const auto bits = bitsAs<uint64_t>(sum);
  if (!std::isfinite(rest) || rest == 0 || (bits & 1))
    return sum;
  return bitsAs<double>((rest > 0) == (sum > 0) ? bits + 1 : bits - 1);
}

const FloatFormat *formatOf(std::string_view type) {
  if (type.substr(0, 4) == "bf16")
    return &kBFloat;
  if (type.substr(0, 3) == "f16")
    return &kHalf;
  if (type.substr(0, 4) == "e4m3")
    return &kE4M3;
  if (type.substr(0, 4) == "e5m2")
    return &kE5M2;
  if (type == "tf32")
    return &kTf32;
  return nullptr;
}

} // namespace emulator
