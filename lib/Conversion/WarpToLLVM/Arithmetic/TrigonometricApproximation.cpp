#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "llvm/ADT/FloatingPointMode.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

namespace {
/// x = turns * pi / 2 + rest; the lowest bits of `shifted` are the turns.
struct Angle {
  Value rest, shifted;
};
} // namespace

static Angle emitReduceAngle(ImplicitLocOpBuilder &b, Value x) {
  // Pi / 2 in three parts: the first subtraction is exact.
  static constexpr float quarter[] = {
      1.5707963705062866f, -4.371138828673793e-08f, -1.7151245100058819e-15f};
  Value shift = emitF32(b, kNearest);
  Value shifted = emitFma(b, x, emitF32(b, 0.6366197466850281f), shift);
  Value minusTurns = LLVM::FSubOp::create(b, shift, shifted);
  Value rest = x;
  for (float part : quarter)
    rest = emitFma(b, minusTurns, emitF32(b, part), rest);
  return {rest, LLVM::BitcastOp::create(b, b.getI32Type(), shifted)};
}

static Value emitIsOdd(ImplicitLocOpBuilder &b, Value integer) {
  return LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                              LLVM::AndOp::create(b, integer, emitI32(b, 1)),
                              emitI32(b, 0));
}

/// Returns x if it is zero, which keeps its sign, else `result`.
static Value emitKeepZero(ImplicitLocOpBuilder &b, Value x, Value result) {
  return emitSelect(b, LLVM::FCmpPredicate::oeq, x, emitF32(b, 0.0f), x,
                    result);
}

Value tilewright::emitSine(ImplicitLocOpBuilder &b, Value x, int quarterTurns) {
  static constexpr float sine[] = {-0.1666666716337204f, 0.008333331905305386f,
                                   -0.00019840081222355366f,
                                   2.7249222966929665e-06f};
  static constexpr float cosine[] = {0.0416666679084301f, -0.00138888880610466f,
                                     2.480059629306197e-05f,
                                     -2.730036214870779e-07f};
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  auto [r, shifted] = emitReduceAngle(b, x);
  Value square = LLVM::FMulOp::create(b, r, r);
  Value sineOfR = emitFma(b, LLVM::FMulOp::create(b, r, square),
                          emitPolynomial(b, square, sine), r);
  Value cosineOfR =
      emitFma(b, LLVM::FMulOp::create(b, square, square),
              emitPolynomial(b, square, cosine),
              emitFma(b, square, emitF32(b, -0.5f), emitF32(b, 1.0f)));
  Value turns = LLVM::AddOp::create(b, shifted, emitI32(b, quarterTurns));
  Value isOdd = emitIsOdd(b, turns);
  Value result = LLVM::SelectOp::create(b, isOdd, cosineOfR, sineOfR);
  Value sign = LLVM::ShlOp::create(
      b, LLVM::AndOp::create(b, turns, emitI32(b, 2)), emitI32(b, 30));
  result = LLVM::BitcastOp::create(
      b, f32,
      LLVM::XOrOp::create(b, LLVM::BitcastOp::create(b, i32, result), sign));
  if (quarterTurns % 2 != 0)
    return result;
  return emitKeepZero(b, x, result);
}

/// tan(r) = r + r^3 P(r^2), and -1 / tan(r) for odd quarter turns.
Value tilewright::emitTan(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float thirdOrder[] = {
      0.33333152532577515f, 0.13338907063007355f,  0.05340270325541496f,
      0.02445998601615429f, 0.003072727005928755f, 0.009413143619894981f};
  auto [r, shifted] = emitReduceAngle(b, x);
  Value square = LLVM::FMulOp::create(b, r, r);
  Value tangent = emitFma(b, LLVM::FMulOp::create(b, r, square),
                          emitPolynomial(b, square, thirdOrder), r);
  Value cotangent = emitUnaryPtx(b, "rcp.approx.ftz.f32", tangent);
  Value result = LLVM::SelectOp::create(
      b, emitIsOdd(b, shifted), LLVM::FNegOp::create(b, cotangent), tangent);
  return emitKeepZero(b, x, result);
}

/// Pi / 2 in two parts.
static constexpr float kQuarter = 1.5707963705062866f,
                       kQuarterRest = -4.371138828673793e-08f;

/// Returns the series of atan(r) = r + r * series for r in [0, 1].
static Value emitAtanSeries(ImplicitLocOpBuilder &b, Value r) {
  static constexpr float secondOrder[] = {
      -0.33333152532577515f, 0.19993767142295837f,  -0.14211003482341766f,
      0.10665786266326904f,  -0.07551728934049606f, 0.04320598021149635f,
      -0.01636425219476223f, 0.0029197637923061848f};
  Value square = LLVM::FMulOp::create(b, r, r);
  return LLVM::FMulOp::create(b, emitPolynomial(b, square, secondOrder),
                              square);
}

/// Returns atan(r), or pi / 2 - atan(r).
static Value emitAtanOf(ImplicitLocOpBuilder &b, Value r, Value fromQuarter) {
  Value series = emitAtanSeries(b, r);
  Value small = emitFma(b, series, r, r);
  Value large =
      LLVM::FSubOp::create(b, LLVM::FSubOp::create(b, emitF32(b, kQuarter), r),
                           emitFma(b, series, r, emitF32(b, -kQuarterRest)));
  return LLVM::SelectOp::create(b, fromQuarter, large, small);
}

Value tilewright::emitAtan(ImplicitLocOpBuilder &b, Value x) {
  Value a = LLVM::FAbsOp::create(b, x);
  Value isLarge =
      LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, a, emitF32(b, 1.0f));
  Value r = LLVM::SelectOp::create(b, isLarge,
                                   emitUnaryPtx(b, "rcp.approx.ftz.f32", a), a);
  return LLVM::CopySignOp::create(b, emitAtanOf(b, r, isLarge), x);
}

/// Returns least / most, at most 1, for non-negative numbers. The result is 0
/// for two zeros and 1 for two infinities.
static Value emitRatio(ImplicitLocOpBuilder &b, Value least, Value most) {
  // Scaled by a power of two that brings the divisor near 1.
  Value field =
      LLVM::AndOp::create(b, LLVM::BitcastOp::create(b, b.getI32Type(), most),
                          emitI32(b, 0x7f800000));
  Value power = LLVM::SMaxOp::create(
      b, LLVM::SubOp::create(b, emitI32(b, 0x7f000000), field),
      emitI32(b, 0x800000));
  Value scale = LLVM::BitcastOp::create(b, b.getF32Type(), power);
  Value dividend = LLVM::FMulOp::create(b, least, scale);
  Value divisor = LLVM::FMulOp::create(b, most, scale);
  Value reciprocal = emitUnaryPtx(b, "rcp.approx.ftz.f32", divisor);
  Value ratio = LLVM::FMulOp::create(b, dividend, reciprocal);
  Value lacking = emitFma(b, LLVM::FNegOp::create(b, ratio), divisor, dividend);
  ratio = emitFma(b, lacking, reciprocal, ratio);
  // The cases 0 / 0 and division by infinity.
  Value isEnd = LLVM::IsFPClass::create(b, b.getI1Type(), most,
                                        llvm::fcZero | llvm::fcInf);
  Value top = emitF32(b, std::numeric_limits<float>::infinity());
  Value atEnd = emitSelect(b, LLVM::FCmpPredicate::oeq, least, top,
                           emitF32(b, 1.0f), emitF32(b, 0.0f));
  return LLVM::SelectOp::create(b, isEnd, atEnd, ratio);
}

/// The angle of the point (|x|, |y|), subtracted from pi for negative x.
Value tilewright::emitAtan2(ImplicitLocOpBuilder &b, Value y, Value x) {
  Value across = LLVM::FAbsOp::create(b, x), up = LLVM::FAbsOp::create(b, y);
  Value isSteep = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, up, across);
  // minimum and maximum keep NaN.
  Value ratio = emitRatio(b, LLVM::MinimumOp::create(b, across, up),
                          LLVM::MaximumOp::create(b, across, up));
  Value angle = emitAtanOf(b, ratio, isSteep);
  Value isLeft = LLVM::ICmpOp::create(
      b, LLVM::ICmpPredicate::slt,
      LLVM::BitcastOp::create(b, b.getI32Type(), x), emitI32(b, 0));
  Value left = LLVM::FSubOp::create(b, emitF32(b, 2 * kQuarter), angle);
  return LLVM::CopySignOp::create(
      b, LLVM::SelectOp::create(b, isLeft, left, angle), y);
}

namespace {
/// asin(s) = s + s * series. s is |x| if that is at most 0.5, else the sine of
/// half its arc cosine.
struct ArcSine {
  Value isLarge, s, series;
};
} // namespace

/// The series is s^2 P(s^2); acos(a) = 2 asin(sqrt((1 - a) / 2)).
static ArcSine emitArcSine(ImplicitLocOpBuilder &b, Value a) {
  static constexpr float thirdOrder[] = {
      0.16666752099990845f, 0.0749531015753746f, 0.045469019562006f,
      0.024185502901673317f, 0.04215701296925545f};
  Value half = emitF32(b, 0.5f);
  Value isLarge = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::ogt, a, half);
  Value rest = emitFma(b, a, emitF32(b, -0.5f), half);
  // One step of Newton's iteration; the added constant makes the root of 0 be
  // 0.
  Value reciprocal =
      emitUnaryPtx(b, "rsqrt.approx.f32",
                   LLVM::FAddOp::create(b, rest, emitF32(b, 1.0e-30f)));
  Value root = LLVM::FMulOp::create(b, rest, reciprocal);
  Value lacking = emitFma(b, LLVM::FNegOp::create(b, root), root, rest);
  root = emitFma(b, lacking, LLVM::FMulOp::create(b, reciprocal, half), root);
  Value s = LLVM::SelectOp::create(b, isLarge, root, a);
  Value square =
      LLVM::SelectOp::create(b, isLarge, rest, LLVM::FMulOp::create(b, a, a));
  Value series =
      LLVM::FMulOp::create(b, emitPolynomial(b, square, thirdOrder), square);
  return {isLarge, s, series};
}

Value tilewright::emitAsin(ImplicitLocOpBuilder &b, Value x) {
  auto [isLarge, s, series] = emitArcSine(b, LLVM::FAbsOp::create(b, x));
  Value small = emitFma(b, series, s, s);
  Value minusTwo = emitF32(b, -2.0f);
  Value large =
      emitFma(b, emitFma(b, series, s, emitF32(b, -0.5f * kQuarterRest)),
              minusTwo, emitFma(b, s, minusTwo, emitF32(b, kQuarter)));
  return LLVM::CopySignOp::create(
      b, LLVM::SelectOp::create(b, isLarge, large, small), x);
}

/// pi / 2 - asin(x) for small x, else twice the angle, subtracted from pi if x
/// is negative.
Value tilewright::emitAcos(ImplicitLocOpBuilder &b, Value x) {
  auto [isLarge, s, series] = emitArcSine(b, LLVM::FAbsOp::create(b, x));
  Value angle = emitFma(b, series, s, s);
  Value isNegative =
      LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt, x, emitF32(b, 0.0f));
  Value small = LLVM::FSubOp::create(b, emitF32(b, kQuarter),
                                     LLVM::CopySignOp::create(b, angle, x));
  Value twice = LLVM::FAddOp::create(b, angle, angle);
  Value above = LLVM::FSubOp::create(b, emitF32(b, 2 * kQuarter), twice);
  Value large = LLVM::SelectOp::create(b, isNegative, above, twice);
  return LLVM::SelectOp::create(b, isLarge, large, small);
}
