#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "llvm/ADT/FloatingPointMode.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

/// One step of Newton's iteration from 2^(log2(a) / 3), with the residual a -
/// root^3 computed exactly.
Value tilewright::emitCbrt(ImplicitLocOpBuilder &b, Value x) {
  Value a = LLVM::FAbsOp::create(b, x);
  // The squares of roots of tiny numbers would be subnormal.
  Value least = emitF32(b, 1.0e-30f);
  auto ifTiny = [&](float yes, float no) {
    return emitSelect(b, LLVM::FCmpPredicate::olt, a, least, emitF32(b, yes),
                      emitF32(b, no));
  };
  Value scaled = LLVM::FMulOp::create(b, a, ifTiny(0x1p72f, 1.0f));
  Value log = emitUnaryPtx(b, "lg2.approx.f32", scaled);
  Value root = emitUnaryPtx(
      b, "ex2.approx.ftz.f32",
      LLVM::FMulOp::create(b, log, emitF32(b, 0.3333333333333333f)));
  auto [square, lostOfSquare] = emitExactMul(b, root, root);
  Value minusRoot = LLVM::FNegOp::create(b, root);
  Value lacking = emitFma(b, minusRoot, lostOfSquare,
                          emitFma(b, minusRoot, square, scaled));
  Value step =
      LLVM::FMulOp::create(b, emitUnaryPtx(b, "rcp.approx.ftz.f32", square),
                           emitF32(b, 0.3333333333333333f));
  Value better = emitFma(b, lacking, step, root);
  Value result = LLVM::FMulOp::create(b, better, ifTiny(0x1p-24f, 1.0f));
  // Zeros, infinities and NaN are their own roots.
  Value isOwn = LLVM::IsFPClass::create(
      b, b.getI1Type(), x, llvm::fcZero | llvm::fcInf | llvm::fcNan);
  return LLVM::SelectOp::create(b, isOwn, x,
                                LLVM::CopySignOp::create(b, result, x));
}

static Value emitNeg(ImplicitLocOpBuilder &b, Value x) {
  return LLVM::FNegOp::create(b, x);
}

/// Returns the base-two logarithm of positive finite a, to about 32 bits.
///
/// a = 2^exponent (1 + f), and r = f / (2 + f) is in [-0.172, 0.172]. Then
/// log2(1 + f) = 2 log2(e) atanh(r) = 2 log2(e) r + r^3 P(r^2). The rounding
/// errors of r and of r^3 are computed as well.
static Pair emitLog2InTwo(ImplicitLocOpBuilder &b, Value a) {
  static constexpr float thirdOrder[] = {
      0.9617967009544373f, 0.5770779848098755f, 0.412203311920166f,
      0.32015249133110046f, 0.2793745994567871f};
  constexpr int32_t rootOfHalf = 0x3f3504f3;
  auto [exponent, f] = emitSplit(b, a, rootOfHalf);
  Value two = emitF32(b, 2.0f);
  Value u = LLVM::FAddOp::create(b, f, two);
  Value lostOfU = LLVM::FSubOp::create(b, f, LLVM::FSubOp::create(b, u, two));
  Value reciprocal = emitUnaryPtx(b, "rcp.approx.ftz.f32", u);
  Value r = LLVM::FMulOp::create(b, f, reciprocal);
  Value minusR = emitNeg(b, r);
  Value remainder = emitFma(b, minusR, lostOfU, emitFma(b, minusR, u, f));
  Value lostOfR = LLVM::FMulOp::create(b, remainder, reciprocal);

  auto [square, lostOfSquare] = emitExactMul(b, r, r);
  auto [cube, lostLast] = emitExactMul(b, square, r);
  Value lostOfCube = emitFma(b, lostOfSquare, r, lostLast);
  Value series = emitPolynomial(b, square, thirdOrder);

  // 2 log2(e) in two parts; r times the first one is the larger part of the
  // result. All multiplications are explicit fma, or LLVM's own contraction
  // would count rounding errors twice.
  Value scale = emitF32(b, 2.885390043258667f);
  Value sum = emitFma(b, r, scale, exponent);
  Value low =
      emitFma(b, r, scale, emitNeg(b, LLVM::FSubOp::create(b, sum, exponent)));
  low = emitFma(b, r, emitF32(b, 3.851926067000022e-08f), low);
  low = emitFma(b, series, lostOfCube, low);
  low = emitFma(b, lostOfR, emitFma(b, square, scale, scale), low);
  low = emitFma(b, series, cube, low);
  Value high = LLVM::FAddOp::create(b, sum, low);
  return {high,
          LLVM::FSubOp::create(b, low, LLVM::FSubOp::create(b, high, sum))};
}

/// Returns 2^(high + low): zero or infinite if f32 cannot hold it, also for an
/// infinite `high`. NaN stays.
static Value emitExp2OfTwo(ImplicitLocOpBuilder &b, Pair x) {
  static constexpr float overX[] = {
      0.6931471824645996f,   0.24022650718688965f,   0.055503569543361664f,
      0.009618030861020088f, 0.0013390890089794993f, 0.0001546976127428934f};
  Value limit = emitF32(b, 200.0f), zero = emitF32(b, 0.0f);
  Value size = LLVM::FAbsOp::create(b, x.high);
  Value high = emitSelect(b, LLVM::FCmpPredicate::ult, size, limit, x.high,
                          LLVM::CopySignOp::create(b, limit, x.high));
  Value low = emitSelect(b, LLVM::FCmpPredicate::ult, size, limit, x.low, zero);
  auto [integer, bitsOfInteger] =
      emitNearest(b, LLVM::FAddOp::create(b, high, emitF32(b, kNearest)));
  Value f =
      LLVM::FAddOp::create(b, LLVM::FSubOp::create(b, high, integer), low);
  Value power = emitFma(b, f, emitPolynomial(b, f, overX), emitF32(b, 1.0f));
  // Two factors, so that a subnormal result is rounded once.
  Value n = LLVM::SubOp::create(b, bitsOfInteger, emitI32(b, kNearestBits));
  Value half = LLVM::AShrOp::create(b, n, emitI32(b, 1));
  for (Value part : {half, LLVM::SubOp::create(b, n, half).getResult()}) {
    Value bits = LLVM::ShlOp::create(
        b, LLVM::AddOp::create(b, part, emitI32(b, 127)), emitI32(b, 23));
    power = LLVM::FMulOp::create(
        b, power, LLVM::BitcastOp::create(b, b.getF32Type(), bits));
  }
  return power;
}

static Value emitTest(ImplicitLocOpBuilder &b, LLVM::FCmpPredicate predicate,
                      Value lhs, Value rhs) {
  return LLVM::FCmpOp::create(b, predicate, lhs, rhs);
}

/// Gives the power the sign that x and y imply, or NaN if it is not real.
static Value emitSignOfPower(ImplicitLocOpBuilder &b, Value x, Value y,
                             Value power, Value isFinite) {
  using LLVM::FCmpPredicate;
  Value half = LLVM::FMulOp::create(b, y, emitF32(b, 0.5f));
  // 0 for even numbers, 1 or -1 for odd ones, NaN for infinities.
  Value rest =
      emitFma(b, LLVM::FTruncOp::create(b, half), emitF32(b, -2.0f), y);
  Value size = LLVM::FAbsOp::create(b, rest);
  Value isOdd = emitTest(b, FCmpPredicate::oeq, size, emitF32(b, 1.0f));
  Value signedPower = LLVM::SelectOp::create(
      b, isOdd, LLVM::CopySignOp::create(b, power, x), power);
  Value isFraction = LLVM::AndOp::create(
      b, emitTest(b, FCmpPredicate::one, size, emitF32(b, 0.0f)),
      emitTest(b, FCmpPredicate::une, size, emitF32(b, 1.0f)));
  Value isRoot = LLVM::AndOp::create(
      b, isFraction, emitTest(b, FCmpPredicate::olt, x, emitF32(b, 0.0f)));
  Value nan = emitF32(b, std::numeric_limits<float>::quiet_NaN());
  return LLVM::SelectOp::create(
      b, isRoot, LLVM::SelectOp::create(b, isFinite, nan, power), signedPower);
}

Value tilewright::emitPow(ImplicitLocOpBuilder &b, Value x, Value y) {
  using LLVM::FCmpPredicate;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  constexpr float largest = std::numeric_limits<float>::max();
  Value zero = emitF32(b, 0.0f), one = emitF32(b, 1.0f);
  Value a = LLVM::FAbsOp::create(b, x);

  Pair log = emitLog2InTwo(b, a);
  Value logOfZero = emitSelect(b, FCmpPredicate::oeq, a, zero,
                               emitF32(b, -infinity), log.high);
  // Infinities and NaN are their own logarithms.
  Value isFinite = emitTest(b, FCmpPredicate::olt, a, emitF32(b, infinity));
  Value high = LLVM::SelectOp::create(b, isFinite, logOfZero, a);
  // Avoids log(1) * infinity. minimum and maximum keep NaN.
  Value factor = LLVM::MaximumOp::create(
      b, LLVM::MinimumOp::create(b, y, emitF32(b, largest)),
      emitF32(b, -largest));
  auto [exponent, lost] = emitExactMul(b, factor, high);
  Value rest = emitFma(b, factor, log.low, lost);
  Value result =
      emitSignOfPower(b, x, y, emitExp2OfTwo(b, {exponent, rest}), isFinite);
  Value isOne = LLVM::OrOp::create(b, emitTest(b, FCmpPredicate::oeq, x, one),
                                   emitTest(b, FCmpPredicate::oeq, y, zero));
  return LLVM::SelectOp::create(b, isOne, one, result);
}
