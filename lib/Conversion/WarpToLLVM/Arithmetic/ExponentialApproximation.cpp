#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

using namespace mlir;
using namespace tilewright;

/// Below 1: a + a P(a^2). Above: 1 - 2^-Q(a) with Q(a) = -log2(1 - erf(a)),
/// clamped to where the result is 1.
Value tilewright::emitErf(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float nearZero[] = {
      0.12837916612625122f,   -0.3761262595653534f,  0.1128358542919159f,
      -0.026853810995817184f, 0.005188327748328447f, -0.0008010192541405559f,
      7.853857823647559e-05f};
  static constexpr float logOfRest[] = {
      0.0005102946888655424f,  1.6259751319885254f,   0.9207649230957031f,
      0.1486515998840332f,     -0.03145847097039223f, 0.004240968730300665f,
      -0.00026772794080898166f};
  Value a = LLVM::FAbsOp::create(b, x);
  Value square = LLVM::FMulOp::create(b, a, a);
  Value small = emitFma(b, emitPolynomial(b, square, nearZero), a, a);
  // minimum keeps NaN.
  Value clamped = LLVM::MinimumOp::create(b, a, emitF32(b, 3.95f));
  Value exponent =
      LLVM::FNegOp::create(b, emitPolynomial(b, clamped, logOfRest));
  Value one = emitF32(b, 1.0f);
  Value large = LLVM::FSubOp::create(
      b, one, emitUnaryPtx(b, "ex2.approx.ftz.f32", exponent));
  Value result = emitSelect(b, LLVM::FCmpPredicate::olt, a, one, small, large);
  return LLVM::CopySignOp::create(b, result, x);
}

/// Below 0.6: a + a^3 P(a^2). Above: 1 - 2 / (e^2a + 1).
Value tilewright::emitTanh(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float nearZero[] = {
      -0.33333298563957214f, 0.13331958651542664f, -0.05378668010234833f,
      0.020805377513170242f, -0.00590586056932807f};
  Value a = LLVM::FAbsOp::create(b, x);
  Value square = LLVM::FMulOp::create(b, a, a);
  Value series =
      LLVM::FMulOp::create(b, emitPolynomial(b, square, nearZero), square);
  Value small = emitFma(b, series, a, a);
  constexpr float twoLog2e = 2.8853900817779268f;
  Value power = emitUnaryPtx(b, "ex2.approx.ftz.f32",
                             LLVM::FMulOp::create(b, a, emitF32(b, twoLog2e)));
  Value one = emitF32(b, 1.0f);
  Value reciprocal = emitUnaryPtx(b, "rcp.approx.ftz.f32",
                                  LLVM::FAddOp::create(b, power, one));
  Value large = emitFma(b, reciprocal, emitF32(b, -2.0f), one);
  Value result = emitSelect(b, LLVM::FCmpPredicate::olt, a, emitF32(b, 0.6f),
                            small, large);
  return LLVM::CopySignOp::create(b, result, x);
}

namespace {
/// e^x = 2^n (1 + rest).
struct Exponential {
  Value bitsOfN, rest;
};
} // namespace

/// Returns n and rest = e^f - 1 with x = n log(2) + f, for |n| up to 2^22.
static Exponential emitReduceExponent(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float secondOrder[] = {0.5f,
                                          0.1666666716337204f,
                                          0.041666463017463684f,
                                          0.008333285339176655f,
                                          0.001393388374708593f,
                                          0.00019907929527107626f};
  auto [n, bitsOfN] = emitNearest(
      b, emitFma(b, x, emitF32(b, 1.4426950408889634f), emitF32(b, kNearest)));
  Value f = emitFma(b, n, emitF32(b, -0.693147182464599609375f), x);
  f = emitFma(b, n, emitF32(b, 1.9046542121259e-9f), f);
  Value square = LLVM::FMulOp::create(b, f, f);
  return {bitsOfN, emitFma(b, emitPolynomial(b, f, secondOrder), square, f)};
}

/// Returns 2^(n + more).
static Value emitPowerOfTwo(ImplicitLocOpBuilder &b, Value bitsOfN, int more) {
  Value biased =
      LLVM::AddOp::create(b, bitsOfN, emitI32(b, 127 + more - kNearestBits));
  return LLVM::BitcastOp::create(
      b, b.getF32Type(), LLVM::ShlOp::create(b, biased, emitI32(b, 23)));
}

/// e^x - 1 = 2^n rest + (2^n - 1).
Value tilewright::emitExpM1(ImplicitLocOpBuilder &b, Value x) {
  // Below, the result is -1; above, it is infinite. minimum and maximum keep
  // NaN.
  Value clamped = LLVM::MaximumOp::create(
      b, LLVM::MinimumOp::create(b, x, emitF32(b, 89.0f)), emitF32(b, -30.0f));
  auto [bitsOfN, rest] = emitReduceExponent(b, clamped);
  // Uses 2^(n - 1), since 2^n may be 2^128.
  Value power = emitPowerOfTwo(b, bitsOfN, -1);
  Value half = emitFma(b, power, rest,
                       LLVM::FAddOp::create(b, power, emitF32(b, -0.5f)));
  Value twice = LLVM::FAddOp::create(b, half, half);
  // Tiny arguments are their own results, including the sign of zero.
  return emitSelect(b, LLVM::FCmpPredicate::olt, LLVM::FAbsOp::create(b, x),
                    emitF32(b, 2.98023224e-8f), x, twice);
}

/// Returns (e^a + sign * e^-a) / 2 for a >= 0. It doubles the combination of
/// the powers' quarters, since e^a may overflow.
static Value emitHalfSum(ImplicitLocOpBuilder &b, Value a, float sign) {
  // Above, the result is infinite. minimum keeps NaN.
  Value clamped = LLVM::MinimumOp::create(b, a, emitF32(b, 89.7f));
  auto [bitsOfN, rest] = emitReduceExponent(b, clamped);
  Value power = emitPowerOfTwo(b, bitsOfN, -2);
  Value quarter = emitFma(b, power, rest, power);
  Value sum = emitFma(b, emitUnaryPtx(b, "rcp.approx.ftz.f32", quarter),
                      emitF32(b, sign * 0.0625f), quarter);
  return LLVM::FAddOp::create(b, sum, sum);
}

/// Below 1: a + a^3 P(a^2).
Value tilewright::emitSinh(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float nearZero[] = {
      0.1666671633720398f, 0.008330274373292923f, 0.00020372829749248922f};
  Value a = LLVM::FAbsOp::create(b, x);
  Value square = LLVM::FMulOp::create(b, a, a);
  Value series =
      LLVM::FMulOp::create(b, emitPolynomial(b, square, nearZero), square);
  Value small = emitFma(b, series, a, a);
  Value result = emitSelect(b, LLVM::FCmpPredicate::olt, a, emitF32(b, 1.0f),
                            small, emitHalfSum(b, a, -1.0f));
  return LLVM::CopySignOp::create(b, result, x);
}

Value tilewright::emitCosh(ImplicitLocOpBuilder &b, Value x) {
  return emitHalfSum(b, LLVM::FAbsOp::create(b, x), 1.0f);
}
