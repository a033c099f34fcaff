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

/// The magnitude's number among those of the format, with a fraction.
static double numberOf(const FloatFormat &format, double magnitude) {
  if (magnitude == 0)
    return 0;
  int exponent = 0;
  std::frexp(magnitude, &exponent);
  // That of 1.0 is 0 from here on; below the normal ones it stays the same.
  exponent = std::max(exponent - 1, 1 - format.bias());
  const double steps = std::ldexp(magnitude, format.mantissaBits - exponent);
  return std::ldexp(exponent + format.bias() - 1, format.mantissaBits) + steps;
}

uint32_t FloatFormat::encode(double value, bool saturates) const {
  const uint32_t sign = std::signbit(value) ? signBit() : 0;
  if (std::isnan(value))
    return signBit() - 1;
  const uint32_t beyond = saturates     ? largest()
                          : hasInfinity ? largest() + 1
                                        : signBit() - 1;
  if (std::isinf(value))
    return sign | beyond;
  const double number = std::nearbyint(numberOf(*this, std::fabs(value)));
  return sign | (number > largest() ? beyond : static_cast<uint32_t>(number));
}

uint32_t FloatFormat::truncate(double value) const {
  if (!std::isfinite(value))
    return encode(value, false);
  const double number = std::floor(numberOf(*this, std::fabs(value)));
  return (std::signbit(value) ? signBit() : 0) |
         static_cast<uint32_t>(std::min<double>(number, largest()));
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
