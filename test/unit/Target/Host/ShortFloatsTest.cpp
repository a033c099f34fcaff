#include "lib/Target/Host/ShortFloatCalls.h"

#include <cmath>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>
#include <random>

using namespace tilewright::host;

#if defined(__x86_64__)
namespace {

template <typename To, typename From> To bitsAs(From value) {
  static_assert(sizeof(To) == sizeof(From));
  To result;
  std::memcpy(&result, &value, sizeof(result));
  return result;
}

template <typename Function> Function conversion(const char *name) {
  for (const HostSymbol &symbol : shortFloatConversions())
    if (symbol.name == name)
      return reinterpret_cast<Function>(symbol.address);
  return nullptr;
}

/// The value of 16 bits, computed by the definition of the format.
double valueOf(uint16_t bits, int mantissaBits) {
  const int bias = (1 << (14 - mantissaBits)) - 1;
  const int exponent = (bits & 0x7fff) >> mantissaBits;
  const int fraction = bits & ((1 << mantissaBits) - 1);
  const double sign = bits >> 15 ? -1.0 : 1.0;
  if (exponent == 2 * bias + 1)
    return fraction ? std::numeric_limits<double>::quiet_NaN()
                    : sign * std::numeric_limits<double>::infinity();
  if (exponent == 0)
    return sign * std::ldexp(fraction, 1 - bias - mantissaBits);
  return sign * std::ldexp(fraction + (1 << mantissaBits),
                           exponent - bias - mantissaBits);
}

/// Whether `bits` is nearest to `value`, with ties to even.
bool isNearest(double value, uint16_t bits, int mantissaBits) {
  const double infinity = std::numeric_limits<double>::infinity();
  // Beyond the largest number, the spacing continues as if one more existed.
  const auto valueOrNext = [&](uint16_t b) {
    const double v = valueOf(b, mantissaBits);
    if (std::abs(v) != infinity)
      return v;
    const uint16_t below = static_cast<uint16_t>(b - 1);
    const double largest = valueOf(below, mantissaBits);
    return largest +
           (largest - valueOf(static_cast<uint16_t>(below - 1), mantissaBits));
  };
  const uint16_t magnitude = bits & 0x7fff;
  const double own = std::abs(value - valueOrNext(bits));
  for (int step : {-1, 1}) {
    if ((magnitude == 0 && step < 0) ||
        (step > 0 && std::isinf(valueOf(bits, mantissaBits))))
      continue;
    const double other =
        std::abs(value - valueOrNext(static_cast<uint16_t>(bits + step)));
    if (other < own || (other == own && (bits & 1)))
      return false;
  }
  return true;
}

template <typename Short, typename Source>
void checkNarrowing(const char *name, int mantissaBits) {
  auto convert = conversion<Short (*)(Source)>(name);
  ASSERT_NE(convert, nullptr);
  // Every number of the format, all midpoints, and the neighbours of both.
  const double infinity = std::numeric_limits<double>::infinity();
  for (int bits = 0; bits < 0x7fff; ++bits) {
    const double low = valueOf(static_cast<uint16_t>(bits), mantissaBits);
    const double high = valueOf(static_cast<uint16_t>(bits + 1), mantissaBits);
    if (std::isnan(low) || std::isnan(high) || std::isinf(low))
      continue;
    const double end =
        std::isinf(high)
            ? 2 * low - valueOf(static_cast<uint16_t>(bits - 1), mantissaBits)
            : high;
    const auto middle = static_cast<Source>((low + end) / 2);
    for (Source x : {static_cast<Source>(low), middle,
                     std::nextafter(middle, static_cast<Source>(0)),
                     std::nextafter(middle, static_cast<Source>(infinity))})
      for (Source value : {x, -x}) {
        const auto got = bitsAs<uint16_t>(convert(value));
        ASSERT_EQ(std::signbit(value), bool(got >> 15)) << value;
        ASSERT_TRUE(isNearest(value, got, mantissaBits))
            << name << " of " << value << " gives " << got;
      }
  }
  const auto nan =
      bitsAs<uint16_t>(convert(std::numeric_limits<Source>::quiet_NaN()));
  EXPECT_TRUE(std::isnan(valueOf(nan, mantissaBits)));
  const auto inf =
      bitsAs<uint16_t>(convert(-std::numeric_limits<Source>::infinity()));
  EXPECT_EQ(valueOf(inf, mantissaBits), -infinity);
  const auto huge =
      bitsAs<uint16_t>(convert(std::numeric_limits<Source>::max()));
  EXPECT_EQ(valueOf(huge, mantissaBits), infinity);
  const auto tiny =
      bitsAs<uint16_t>(convert(std::numeric_limits<Source>::denorm_min()));
  EXPECT_EQ(tiny, 0);
}

TEST(ShortFloats, FloatToHalf) {
  checkNarrowing<_Float16, float>("__truncsfhf2", 10);
}
TEST(ShortFloats, DoubleToHalf) {
  checkNarrowing<_Float16, double>("__truncdfhf2", 10);
}
TEST(ShortFloats, FloatToBfloat) {
  checkNarrowing<__bf16, float>("__truncsfbf2", 7);
}
TEST(ShortFloats, DoubleToBfloat) {
  checkNarrowing<__bf16, double>("__truncdfbf2", 7);
}

TEST(ShortFloats, EveryHalfToFloat) {
  auto convert = conversion<float (*)(_Float16)>("__extendhfsf2");
  ASSERT_NE(convert, nullptr);
  for (int bits = 0; bits < 0x10000; ++bits) {
    const double wanted = valueOf(static_cast<uint16_t>(bits), 10);
    const float got = convert(bitsAs<_Float16>(static_cast<uint16_t>(bits)));
    ASSERT_EQ(std::signbit(got), bool(bits >> 15));
    if (std::isnan(wanted))
      ASSERT_TRUE(std::isnan(got)) << bits;
    else
      ASSERT_EQ(got, wanted) << bits;
  }
}

} // namespace
#endif
