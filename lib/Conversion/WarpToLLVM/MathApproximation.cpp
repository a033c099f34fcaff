#include "lib/Conversion/WarpToLLVM/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/ThreadIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include "llvm/ADT/FloatingPointMode.h"
#include "llvm/ADT/StringSwitch.h"
#include "llvm/ADT/TypeSwitch.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

/// LLVM's intrinsic for an instruction; empty where it has none.
static StringRef getIntrinsic(StringRef instruction) {
  return llvm::StringSwitch<StringRef>(instruction)
      .Case("ex2.approx.f32", "llvm.nvvm.ex2.approx.f32")
      .Case("ex2.approx.ftz.f32", "llvm.nvvm.ex2.approx.ftz.f32")
      .Case("lg2.approx.f32", "llvm.nvvm.lg2.approx.f")
      .Case("rcp.approx.ftz.f32", "llvm.nvvm.rcp.approx.ftz.f")
      .Case("rsqrt.approx.f32", "llvm.nvvm.rsqrt.approx.f")
      .Case("sin.approx.f32", "llvm.nvvm.sin.approx.f")
      .Case("cos.approx.f32", "llvm.nvvm.cos.approx.f")
      .Default("");
}

Value tilewright::emitUnaryPtx(ImplicitLocOpBuilder &b, StringRef instruction,
                               Value x) {
  // An order of magnitude cheaper to select than inline PTX.
  if (StringRef intrinsic = getIntrinsic(instruction); !intrinsic.empty())
    return LLVM::CallIntrinsicOp::create(
               b, x.getType(), b.getStringAttr(intrinsic), ValueRange(x))
        .getResult(0);
  InlinePtx ptx(b);
  std::string result = ptx.out(x.getType());
  std::string text =
      (instruction + " " + result + ", " + ptx.in(x) + ";").str();
  return ptx.emit(text, /*sideEffects=*/false)[0];
}

StringRef tilewright::getFastInstruction(Operation *op) {
  auto flags = dyn_cast<arith::ArithFastMathInterface>(op);
  if (!flags || !op->getResult(0).getType().isF32() ||
      !bitEnumContainsAll(flags.getFastMathFlagsAttr().getValue(),
                          arith::FastMathFlags::afn))
    return "";
  return llvm::TypeSwitch<Operation *, StringRef>(op)
      .Case([](math::Exp2Op) { return "ex2.approx.ftz.f32"; })
      .Case([](math::Log2Op) { return "lg2.approx.f32"; })
      .Case([](math::SinOp) { return "sin.approx.f32"; })
      .Case([](math::CosOp) { return "cos.approx.f32"; })
      .Case([](math::SqrtOp) { return "sqrt.approx.f32"; })
      .Case([](math::TanhOp) { return "tanh.approx.f32"; })
      .Default([](Operation *) { return ""; });
}

static Value emitF32(ImplicitLocOpBuilder &b, float value) {
  return LLVM::ConstantOp::create(b, b.getF32Type(), b.getF32FloatAttr(value));
}

static Value emitFma(ImplicitLocOpBuilder &b, Value x, Value y, Value z) {
  return LLVM::FMAOp::create(b, x, y, z);
}

static Value emitSelect(ImplicitLocOpBuilder &b, LLVM::FCmpPredicate predicate,
                        Value lhs, Value rhs, Value yes, Value no) {
  Value condition = LLVM::FCmpOp::create(b, predicate, lhs, rhs);
  return LLVM::SelectOp::create(b, condition, yes, no);
}

/// The polynomial with these coefficients, the constant first.
static Value emitPolynomial(ImplicitLocOpBuilder &b, Value x,
                            ArrayRef<float> coefficients) {
  Value result = emitF32(b, coefficients.back());
  for (float coefficient : llvm::reverse(coefficients.drop_back()))
    result = emitFma(b, result, x, emitF32(b, coefficient));
  return result;
}

namespace {
/// An integer as a number, and in the lowest bits of `bits`.
struct Nearest {
  Value integer, bits;
};
} // namespace

/// 3 * 2^22: the lowest bits of sums with it are the nearest integer.
static constexpr float kNearest = 12582912.0f;
static constexpr int32_t kNearestBits = 0x4b400000;

/// Of what `kNearest` was added to.
static Nearest emitNearest(ImplicitLocOpBuilder &b, Value shifted) {
  return {LLVM::FSubOp::create(b, shifted, emitF32(b, kNearest)),
          LLVM::BitcastOp::create(b, b.getI32Type(), shifted)};
}

/// Below 1, a + a P(a^2). Above, 1 - 2^-Q(a) with Q(a) = -log2(1 - erf(a)), up
/// to where the result is 1.
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

/// Below 0.6, a + a^3 P(a^2). Above, 1 - 2 / (e^2a + 1).
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

//===----------------------------------------------------------------------===//
// Logarithms
//===----------------------------------------------------------------------===//

namespace {
/// x = 2^exponent * (1 + fraction), and log(1 + fraction) = fraction + rest.
struct Logarithm {
  Value exponent, fraction, rest;
};
} // namespace

/// The exponent and the fraction of positive finite x, where 1 + fraction is at
/// least the number of these bits and below twice that.
static std::pair<Value, Value> emitSplit(ImplicitLocOpBuilder &b, Value x,
                                         int32_t leastBits) {
  constexpr int32_t exponentBits = -0x800000;
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  // Subnormal numbers are scaled up first.
  Value least = emitF32(b, std::numeric_limits<float>::min());
  Value scaled = LLVM::FMulOp::create(b, x, emitF32(b, 8388608.0f));
  Value normal = emitSelect(b, LLVM::FCmpPredicate::olt, x, least, scaled, x);
  Value correction = emitSelect(b, LLVM::FCmpPredicate::olt, x, least,
                                emitF32(b, -23.0f), emitF32(b, 0.0f));
  Value bits = LLVM::BitcastOp::create(b, i32, normal);
  Value power = LLVM::AndOp::create(
      b, LLVM::SubOp::create(b, bits, emitI32(b, leastBits)),
      emitI32(b, exponentBits));
  Value mantissa =
      LLVM::BitcastOp::create(b, f32, LLVM::SubOp::create(b, bits, power));
  Value exponent = LLVM::SIToFPOp::create(
      b, f32, LLVM::AShrOp::create(b, power, emitI32(b, 23)));
  return {LLVM::FAddOp::create(b, exponent, correction),
          LLVM::FSubOp::create(b, mantissa, emitF32(b, 1.0f))};
}

/// For positive finite x. The fraction lies in [-1/3, 1/3].
static Logarithm emitReduce(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float thirdOrder[] = {
      0.3333321511745453f,   -0.24999797344207764f, 0.20010405778884888f,
      -0.16680486500263214f, 0.14005862176418304f,  -0.12184277921915054f,
      0.13984467089176178f,  -0.12891601026058197f};
  constexpr int32_t twoThirds = 0x3f2aaaab;
  auto [exponent, f] = emitSplit(b, x, twoThirds);
  Value inner =
      emitFma(b, emitPolynomial(b, f, thirdOrder), f, emitF32(b, -0.5f));
  return {exponent, f,
          LLVM::FMulOp::create(b, inner, LLVM::FMulOp::create(b, f, f))};
}

/// The logarithm of what is not positive and finite in place of `result`.
static Value emitLogSpecials(ImplicitLocOpBuilder &b, Value x, Value result) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Value zero = emitF32(b, 0.0f);
  Value nan = emitF32(b, std::numeric_limits<float>::quiet_NaN());
  Value top = emitF32(b, infinity);
  result = emitSelect(b, LLVM::FCmpPredicate::olt, x, top, result, top);
  result = emitSelect(b, LLVM::FCmpPredicate::oge, x, zero, result, nan);
  return emitSelect(b, LLVM::FCmpPredicate::oeq, x, zero, emitF32(b, -infinity),
                    result);
}

Value tilewright::emitLog(ImplicitLocOpBuilder &b, Value x) {
  Logarithm log = emitReduce(b, x);
  Value fraction = LLVM::FAddOp::create(b, log.fraction, log.rest);
  Value result =
      emitFma(b, log.exponent, emitF32(b, 0.69314718055994531f), fraction);
  return emitLogSpecials(b, x, result);
}

/// log(u) + d / u, where u = 1 + x as rounded, and d is what rounding took
/// away.
Value tilewright::emitLog1p(ImplicitLocOpBuilder &b, Value x) {
  Value one = emitF32(b, 1.0f);
  Value u = LLVM::FAddOp::create(b, one, x);
  Value added = LLVM::FSubOp::create(b, u, one);
  Value lostOfOne =
      LLVM::FSubOp::create(b, one, LLVM::FSubOp::create(b, u, added));
  Value lost =
      LLVM::FAddOp::create(b, lostOfOne, LLVM::FSubOp::create(b, x, added));
  Logarithm log = emitReduce(b, u);
  Value rest =
      emitFma(b, lost, emitUnaryPtx(b, "rcp.approx.ftz.f32", u), log.rest);
  Value result = emitFma(b, log.exponent, emitF32(b, 0.69314718055994531f),
                         LLVM::FAddOp::create(b, log.fraction, rest));
  // These are their own logarithms, the sign of zero included.
  Value isTiny = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt,
                                      LLVM::FAbsOp::create(b, x),
                                      emitF32(b, 2.98023224e-8f));
  return LLVM::SelectOp::create(b, isTiny, x, emitLogSpecials(b, u, result));
}

Value tilewright::emitLog2(ImplicitLocOpBuilder &b, Value x) {
  // log2(e) in two parts, since the product with the fraction is the result.
  constexpr float high = 1.44269502f, low = 1.92596299e-8f;
  Logarithm log = emitReduce(b, x);
  Value tail = emitFma(b, log.fraction, emitF32(b, low),
                       LLVM::FMulOp::create(b, log.rest, emitF32(b, low)));
  tail = emitFma(b, log.rest, emitF32(b, high), tail);
  Value fraction = emitFma(b, log.fraction, emitF32(b, high), tail);
  return emitLogSpecials(b, x, LLVM::FAddOp::create(b, log.exponent, fraction));
}

Value tilewright::emitLog10(ImplicitLocOpBuilder &b, Value x) {
  // log10(e) and log10(2) in two parts, as log2(e) above.
  constexpr float ofE = 0.4342944920063019f, ofERest = -1.0103049952192578e-08f;
  constexpr float ofTwo = 0.3010300099849701f,
                  ofTwoRest = -1.432098883924482e-08f;
  Logarithm log = emitReduce(b, x);
  Value tail =
      emitFma(b, log.fraction, emitF32(b, ofERest),
              LLVM::FMulOp::create(b, log.exponent, emitF32(b, ofTwoRest)));
  tail = emitFma(b, log.rest, emitF32(b, ofE), tail);
  Value fraction = emitFma(b, log.fraction, emitF32(b, ofE), tail);
  return emitLogSpecials(b, x,
                         emitFma(b, log.exponent, emitF32(b, ofTwo), fraction));
}

/// log1p(2 a / (1 - a)) / 2.
Value tilewright::emitAtanh(ImplicitLocOpBuilder &b, Value x) {
  Value a = LLVM::FAbsOp::create(b, x);
  Value twice = LLVM::FAddOp::create(b, a, a);
  Value quotient = LLVM::FDivOp::create(
      b, twice, LLVM::FSubOp::create(b, emitF32(b, 1.0f), a));
  Value half =
      LLVM::FMulOp::create(b, emitLog1p(b, quotient), emitF32(b, 0.5f));
  return LLVM::CopySignOp::create(b, half, x);
}

/// log1p(argument), and log(2) more where `x` is so large that the argument is
/// x alone instead of twice that.
static Value emitLogOfTwice(ImplicitLocOpBuilder &b, Value x, Value argument) {
  Value large = emitF32(b, 1.0e9f);
  Value log = emitLog1p(
      b, emitSelect(b, LLVM::FCmpPredicate::ogt, x, large, x, argument));
  Value more = LLVM::FAddOp::create(b, log, emitF32(b, 0.69314718055994531f));
  return emitSelect(b, LLVM::FCmpPredicate::ogt, x, large, more, log);
}

/// log1p(a + a^2 / (1 + sqrt(a^2 + 1))).
Value tilewright::emitAsinh(ImplicitLocOpBuilder &b, Value x) {
  Value one = emitF32(b, 1.0f);
  Value a = LLVM::FAbsOp::create(b, x);
  Value square = LLVM::FMulOp::create(b, a, a);
  Value root = LLVM::SqrtOp::create(b, LLVM::FAddOp::create(b, square, one));
  Value rest =
      LLVM::FDivOp::create(b, square, LLVM::FAddOp::create(b, one, root));
  Value result = emitLogOfTwice(b, a, LLVM::FAddOp::create(b, a, rest));
  return LLVM::CopySignOp::create(b, result, x);
}

/// log1p(t + sqrt(t (x + 1))), t = x - 1.
Value tilewright::emitAcosh(ImplicitLocOpBuilder &b, Value x) {
  Value one = emitF32(b, 1.0f);
  Value nan = emitF32(b, std::numeric_limits<float>::quiet_NaN());
  Value t = LLVM::FSubOp::create(b, x, one);
  Value root = LLVM::SqrtOp::create(
      b, LLVM::FMulOp::create(b, t, LLVM::FAddOp::create(b, x, one)));
  Value result = emitLogOfTwice(b, x, LLVM::FAddOp::create(b, t, root));
  return emitSelect(b, LLVM::FCmpPredicate::oge, x, one, result, nan);
}

/// x = n log(2) + f: 2^n (e^f - 1) + (2^n - 1).
Value tilewright::emitExpM1(ImplicitLocOpBuilder &b, Value x) {
  static constexpr float secondOrder[] = {0.5f,
                                          0.1666666716337204f,
                                          0.041666463017463684f,
                                          0.008333285339176655f,
                                          0.001393388374708593f,
                                          0.00019907929527107626f};
  // Below, the result is -1; above, infinite. minimum and maximum keep NaN.
  Value clamped = LLVM::MaximumOp::create(
      b, LLVM::MinimumOp::create(b, x, emitF32(b, 89.0f)), emitF32(b, -30.0f));
  auto [n, bitsOfN] =
      emitNearest(b, emitFma(b, clamped, emitF32(b, 1.4426950408889634f),
                             emitF32(b, kNearest)));
  Value f = emitFma(b, n, emitF32(b, -0.693147182464599609375f), clamped);
  f = emitFma(b, n, emitF32(b, 1.9046542121259e-9f), f);
  Value square = LLVM::FMulOp::create(b, f, f);
  Value near = emitFma(b, emitPolynomial(b, f, secondOrder), square, f);
  // Half of 2^n, which may be 2^128.
  Value bits = LLVM::ShlOp::create(
      b, LLVM::AddOp::create(b, bitsOfN, emitI32(b, 126 - kNearestBits)),
      emitI32(b, 23));
  Value power = LLVM::BitcastOp::create(b, b.getF32Type(), bits);
  Value half = emitFma(b, power, near,
                       LLVM::FAddOp::create(b, power, emitF32(b, -0.5f)));
  Value twice = LLVM::FAddOp::create(b, half, half);
  // These are their own results, the sign of zero included.
  return emitSelect(b, LLVM::FCmpPredicate::olt, LLVM::FAbsOp::create(b, x),
                    emitF32(b, 2.98023224e-8f), x, twice);
}

//===----------------------------------------------------------------------===//
// Roots
//===----------------------------------------------------------------------===//

/// One step of Newton's iteration from 2^(log2(a) / 3), with what a lacks to
/// the cube in full.
Value tilewright::emitCbrt(ImplicitLocOpBuilder &b, Value x) {
  Value a = LLVM::FAbsOp::create(b, x);
  // The cubes of roots of tiny numbers would be subnormal.
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
  Value square = LLVM::FMulOp::create(b, root, root);
  Value lostOfSquare = emitFma(b, root, root, LLVM::FNegOp::create(b, square));
  Value minusRoot = LLVM::FNegOp::create(b, root);
  Value lacking = emitFma(b, minusRoot, lostOfSquare,
                          emitFma(b, minusRoot, square, scaled));
  Value step =
      LLVM::FMulOp::create(b, emitUnaryPtx(b, "rcp.approx.ftz.f32", square),
                           emitF32(b, 0.3333333333333333f));
  Value better = emitFma(b, lacking, step, root);
  Value result = LLVM::FMulOp::create(b, better, ifTiny(0x1p-24f, 1.0f));
  // Zeros, infinities and what is no number are their own roots.
  Value isOwn = LLVM::IsFPClass::create(
      b, b.getI1Type(), x, llvm::fcZero | llvm::fcInf | llvm::fcNan);
  return LLVM::SelectOp::create(b, isOwn, x,
                                LLVM::CopySignOp::create(b, result, x));
}

//===----------------------------------------------------------------------===//
// Sines
//===----------------------------------------------------------------------===//

Value tilewright::emitSine(ImplicitLocOpBuilder &b, Value x, int quarterTurns) {
  static constexpr float sine[] = {-0.1666666716337204f, 0.008333331905305386f,
                                   -0.00019840081222355366f,
                                   2.7249222966929665e-06f};
  static constexpr float cosine[] = {0.0416666679084301f, -0.00138888880610466f,
                                     2.480059629306197e-05f,
                                     -2.730036214870779e-07f};
  // Pi / 2 in three parts: what the first leaves is exact.
  static constexpr float quarter[] = {
      1.5707963705062866f, -4.371138828673793e-08f, -1.7151245100058819e-15f};
  Type i32 = b.getI32Type(), f32 = b.getF32Type();
  Value shift = emitF32(b, kNearest);
  Value shifted = emitFma(b, x, emitF32(b, 0.6366197466850281f), shift);
  Value minusTurns = LLVM::FSubOp::create(b, shift, shifted);
  Value r = x;
  for (float part : quarter)
    r = emitFma(b, minusTurns, emitF32(b, part), r);
  Value square = LLVM::FMulOp::create(b, r, r);
  Value sineOfR = emitFma(b, LLVM::FMulOp::create(b, r, square),
                          emitPolynomial(b, square, sine), r);
  Value cosineOfR =
      emitFma(b, LLVM::FMulOp::create(b, square, square),
              emitPolynomial(b, square, cosine),
              emitFma(b, square, emitF32(b, -0.5f), emitF32(b, 1.0f)));
  Value turns = LLVM::AddOp::create(b, LLVM::BitcastOp::create(b, i32, shifted),
                                    emitI32(b, quarterTurns));
  Value zero = emitI32(b, 0);
  Value isOdd =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne,
                           LLVM::AndOp::create(b, turns, emitI32(b, 1)), zero);
  Value result = LLVM::SelectOp::create(b, isOdd, cosineOfR, sineOfR);
  Value sign = LLVM::ShlOp::create(
      b, LLVM::AndOp::create(b, turns, emitI32(b, 2)), emitI32(b, 30));
  result = LLVM::BitcastOp::create(
      b, f32,
      LLVM::XOrOp::create(b, LLVM::BitcastOp::create(b, i32, result), sign));
  if (quarterTurns % 2 != 0)
    return result;
  // The sine of -0 is -0.
  return emitSelect(b, LLVM::FCmpPredicate::oeq, x, emitF32(b, 0.0f), x,
                    result);
}

//===----------------------------------------------------------------------===//
// Powers
//===----------------------------------------------------------------------===//

namespace {
/// A number as the sum of two, of which `low` is about an ULP of `high`.
struct Pair {
  Value high, low;
};
} // namespace

static Value emitNeg(ImplicitLocOpBuilder &b, Value x) {
  return LLVM::FNegOp::create(b, x);
}

/// The logarithm to base two of positive finite a, to some 32 bits.
///
/// a = 2^exponent (1 + f), and with r = f / (2 + f) in [-0.172, 0.172]
/// log2(1 + f) = 2 log2(e) atanh(r) = 2 log2(e) r + r^3 P(r^2). What rounding
/// takes from r and from r^3 is computed beside them.
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

  Value square = LLVM::FMulOp::create(b, r, r);
  Value lostOfSquare = emitFma(b, r, r, emitNeg(b, square));
  Value cube = LLVM::FMulOp::create(b, square, r);
  Value lostOfCube =
      emitFma(b, lostOfSquare, r, emitFma(b, square, r, emitNeg(b, cube)));
  Value series = emitPolynomial(b, square, thirdOrder);

  // 2 log2(e) in two parts; its product with r is the larger part of the sum.
  // What is multiplied is multiplied by fma here, lest LLVM's own contractions
  // count twice what rounding took.
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

/// 2^(high + low), zero or infinite where it is no number of f32; of an
/// infinite `high`, too.
static Value emitExp2OfTwo(ImplicitLocOpBuilder &b, Pair x) {
  static constexpr float overX[] = {
      0.6931471824645996f,   0.24022650718688965f,   0.055503569543361664f,
      0.009618030861020088f, 0.0013390890089794993f, 0.0001546976127428934f};
  Value limit = emitF32(b, 200.0f), zero = emitF32(b, 0.0f);
  Value size = LLVM::FAbsOp::create(b, x.high);
  Value high = emitSelect(b, LLVM::FCmpPredicate::olt, size, limit, x.high,
                          LLVM::CopySignOp::create(b, limit, x.high));
  Value low = emitSelect(b, LLVM::FCmpPredicate::olt, size, limit, x.low, zero);
  auto [integer, bitsOfInteger] =
      emitNearest(b, LLVM::FAddOp::create(b, high, emitF32(b, kNearest)));
  Value f =
      LLVM::FAddOp::create(b, LLVM::FSubOp::create(b, high, integer), low);
  Value power = emitFma(b, f, emitPolynomial(b, f, overX), emitF32(b, 1.0f));
  // Two factors, so that what is subnormal is rounded once.
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

static Value emitIsInteger(ImplicitLocOpBuilder &b, Value x) {
  return emitTest(b, LLVM::FCmpPredicate::oeq, LLVM::FTruncOp::create(b, x), x);
}

Value tilewright::emitPow(ImplicitLocOpBuilder &b, Value x, Value y) {
  using LLVM::FCmpPredicate;
  constexpr float infinity = std::numeric_limits<float>::infinity();
  Value zero = emitF32(b, 0.0f), one = emitF32(b, 1.0f);
  Value top = emitF32(b, infinity);
  Value nan = emitF32(b, std::numeric_limits<float>::quiet_NaN());
  Value a = LLVM::FAbsOp::create(b, x);

  Pair log = emitLog2InTwo(b, a);
  Value logOfZero = emitSelect(b, FCmpPredicate::oeq, a, zero,
                               emitF32(b, -infinity), log.high);
  Value high = emitSelect(b, FCmpPredicate::oeq, a, top, top, logOfZero);
  Value product = LLVM::FMulOp::create(b, y, high);
  Value rest = emitFma(b, y, log.low, emitFma(b, y, high, emitNeg(b, product)));
  Value result = emitExp2OfTwo(b, {product, rest});
  // Of infinite y, too, whose product with 0 is no number.
  result = emitSelect(b, FCmpPredicate::oeq, a, one, one, result);

  // Signs: below zero only of integers.
  Value isInteger = emitIsInteger(b, y);
  Value yes = LLVM::ConstantOp::create(b, b.getI1Type(), b.getBoolAttr(true));
  Value isEven = emitIsInteger(b, LLVM::FMulOp::create(b, y, emitF32(b, 0.5f)));
  Value isOdd =
      LLVM::AndOp::create(b, isInteger, LLVM::XOrOp::create(b, isEven, yes));
  result = LLVM::SelectOp::create(
      b, isOdd, LLVM::CopySignOp::create(b, result, x), result);
  Value isRoot = LLVM::AndOp::create(
      b, emitTest(b, FCmpPredicate::olt, x, zero),
      LLVM::AndOp::create(b, emitTest(b, FCmpPredicate::one, a, top),
                          LLVM::XOrOp::create(b, isInteger, yes)));
  result = LLVM::SelectOp::create(b, isRoot, nan, result);
  result = LLVM::SelectOp::create(b, emitTest(b, FCmpPredicate::uno, x, y), nan,
                                  result);
  Value isOne = LLVM::OrOp::create(b, emitTest(b, FCmpPredicate::oeq, x, one),
                                   emitTest(b, FCmpPredicate::oeq, y, zero));
  return LLVM::SelectOp::create(b, isOne, one, result);
}
