#include "lib/Conversion/WarpToLLVM/Arithmetic/MathApproximation.h"

#include "lib/Conversion/WarpToLLVM/Arithmetic/FloatEmission.h"

#include <limits>

using namespace mlir;
using namespace tilewright;

namespace {
/// x = 2^exponent * (1 + fraction), and log(1 + fraction) = fraction + rest.
struct Logarithm {
  Value exponent, fraction, rest;
};
} // namespace

/// Reduces positive finite x. The fraction is in [-1/3, 1/3].
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

/// Returns the logarithm of zero, negative, infinite and NaN x, else `result`.
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

/// log(u) + d / u, where u is the rounded 1 + x and d its rounding error.
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
  // Tiny arguments are their own results, including the sign of zero.
  Value isTiny = LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::olt,
                                      LLVM::FAbsOp::create(b, x),
                                      emitF32(b, 2.98023224e-8f));
  return LLVM::SelectOp::create(b, isTiny, x, emitLogSpecials(b, u, result));
}

namespace {
/// log_base(e) and log_base(2), each in two parts: their leading parts dominate
/// the result.
struct Base {
  float ofE, ofERest, ofTwo, ofTwoRest;
};
} // namespace

static Value emitLogToBase(ImplicitLocOpBuilder &b, Value x, Base base) {
  Logarithm log = emitReduce(b, x);
  Value tail = LLVM::FMulOp::create(b, log.fraction, emitF32(b, base.ofERest));
  if (base.ofTwoRest != 0)
    tail = emitFma(b, log.exponent, emitF32(b, base.ofTwoRest), tail);
  tail = emitFma(b, log.rest, emitF32(b, base.ofE), tail);
  Value fraction = emitFma(b, log.fraction, emitF32(b, base.ofE), tail);
  Value result = emitFma(b, log.exponent, emitF32(b, base.ofTwo), fraction);
  return emitLogSpecials(b, x, result);
}

Value tilewright::emitLog2(ImplicitLocOpBuilder &b, Value x) {
  return emitLogToBase(b, x, {1.44269502f, 1.92596299e-8f, 1.0f, 0.0f});
}

Value tilewright::emitLog10(ImplicitLocOpBuilder &b, Value x) {
  return emitLogToBase(b, x,
                       {0.4342944920063019f, -1.0103049952192578e-08f,
                        0.3010300099849701f, -1.432098883924482e-08f});
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

/// Returns log1p(argument). For large `x` the argument would overflow: there it
/// returns log1p(x) + log(2).
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
