#include "lib/Transforms/Cpu/F32Functions.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/Math/IR/Math.h"

#include <limits>

using namespace mlir;

namespace tilewright::cpu {

// Coefficients: minimax fits of the relative error over the reduced range, the
// lowest power first.

// (exp(r) - 1 - r) / r^2 for |r| <= ln(2) / 2.
static constexpr float kExp[] = {0x1.fffffcp-2f, 0x1.55549p-3f, 0x1.5558f6p-5f,
                                 0x1.123a8ep-7f, 0x1.6a2314p-10f};
// (2^r - 1) / r for |r| <= 1/2.
static constexpr float kExp2[] = {0x1.62e43p-1f,   0x1.ebfbdcp-3f,
                                  0x1.c6aee8p-5f,  0x1.3b2d4cp-7f,
                                  0x1.5f3e54p-10f, 0x1.41fbbap-13f};
// (log(1 + f) - f + f^2 / 2) / f^3 for 1 + f from sqrt(1/2) to sqrt(2).
static constexpr float kLog[] = {
    0x1.555554p-2f, -0x1.000228p-2f, 0x1.99a000p-3f, -0x1.54721ap-3f,
    0x1.22dacap-3f, -0x1.0d87b2p-3f, 0x1.055780p-3f, -0x1.389d82p-4f};
// (tanh(x) - x) / x^3 in powers of x^2 for |x| <= 0.625.
static constexpr float kTanh[] = {-0x1.555532p-2f, 0x1.110726p-3f,
                                  -0x1.b83c58p-5f, 0x1.522692p-6f,
                                  -0x1.75e1a8p-8f};
// erf(x) / x in powers of x^2 for |x| <= 1.
static constexpr float kErf[] = {
    0x1.20dd74p+0f, -0x1.812730p-2f,  0x1.ce2b58p-4f, -0x1.b7e328p-6f,
    0x1.5375c6p-8f, -0x1.a0687ep-11f, 0x1.40be48p-14f};
// (sin(r) - r) / r^3 and (cos(r) - 1 + r^2 / 2) / r^4 in powers of r^2 for
// |r| <= pi / 4.
static constexpr float kSin[] = {-0x1.555556p-3f, 0x1.111108p-7f,
                                 -0x1.a00ef4p-13f, 0x1.6cb0e0p-19f};
static constexpr float kCos[] = {0x1.555556p-5f, -0x1.6c16b8p-10f,
                                 0x1.a01064p-16f, -0x1.2405a0p-22f};

Type F32Functions::like(Value x, Type element) const {
  auto vector = dyn_cast<VectorType>(x.getType());
  return vector ? Type(vector.clone(element)) : element;
}

static Value makeConstant(OpBuilder &b, Location loc, Type type,
                          TypedAttr value) {
  if (auto vector = dyn_cast<VectorType>(type))
    value = DenseElementsAttr::get(vector, Attribute(value));
  return arith::ConstantOp::create(b, loc, value);
}

Value F32Functions::constant(Value x, float value) const {
  return makeConstant(b, loc, like(x, b.getF32Type()),
                      b.getF32FloatAttr(value));
}

Value F32Functions::integer(Value x, uint32_t value) const {
  return makeConstant(b, loc, like(x, b.getI32Type()),
                      b.getI32IntegerAttr(static_cast<int32_t>(value)));
}

Value F32Functions::bits(Value x) const {
  return arith::BitcastOp::create(b, loc, like(x, b.getI32Type()), x);
}

Value F32Functions::number(Value bits) const {
  return arith::BitcastOp::create(b, loc, like(bits, b.getF32Type()), bits);
}

Value F32Functions::add(Value x, Value y) const {
  return arith::AddFOp::create(b, loc, x, y);
}

Value F32Functions::sub(Value x, Value y) const {
  return arith::SubFOp::create(b, loc, x, y);
}

Value F32Functions::mul(Value x, Value y) const {
  return arith::MulFOp::create(b, loc, x, y);
}

/// x * y + z, in one instruction where the processor has it.
Value F32Functions::muladd(Value x, Value y, Value z) const {
  return LLVM::FMulAddOp::create(b, loc, x, y, z);
}

Value F32Functions::polynomial(Value x, ArrayRef<float> terms) const {
  Value sum = constant(x, terms.back());
  for (float term : llvm::reverse(terms.drop_back()))
    sum = muladd(sum, x, constant(x, term));
  return sum;
}

/// NaN stays NaN.
Value F32Functions::clamp(Value x, float low, float high) const {
  const auto limit = [&](Value x, arith::CmpFPredicate beyond, float bound) {
    Value end = constant(x, bound);
    Value isBeyond = arith::CmpFOp::create(b, loc, beyond, x, end);
    return arith::SelectOp::create(b, loc, isBeyond, end, x).getResult();
  };
  Value above = limit(x, arith::CmpFPredicate::OLT, low);
  return limit(above, arith::CmpFPredicate::OGT, high);
}

Value F32Functions::magnitude(Value x) const {
  return math::AbsFOp::create(b, loc, x);
}

Value F32Functions::withSignOf(Value magnitude, Value x) const {
  return math::CopySignOp::create(b, loc, magnitude, x);
}

/// The nearest whole number of |x| < 2^22, as a float and as i32. Adding 3 *
/// 2^22 leaves no bit for a fraction. Unlike a conversion it is defined for
/// NaN.
std::pair<Value, Value> F32Functions::round(Value x) const {
  Value magic = constant(x, 0x1.8p23f);
  Value shifted = add(x, magic);
  Value whole = sub(shifted, magic);
  Value number = arith::SubIOp::create(b, loc, bits(shifted), bits(magic));
  return {whole, number};
}

/// x * 2^exponent in two steps, so that each factor is a normal number even
/// where the product is not.
Value F32Functions::scale(Value x, Value exponent) const {
  const auto power = [&](Value e) {
    Value biased = arith::AddIOp::create(b, loc, e, integer(x, 127));
    return number(arith::ShLIOp::create(b, loc, biased, integer(x, 23)));
  };
  Value half = arith::ShRSIOp::create(b, loc, exponent, integer(x, 1));
  Value rest = arith::SubIOp::create(b, loc, exponent, half);
  return mul(mul(x, power(half)), power(rest));
}

Value F32Functions::exp(Value x) const {
  x = clamp(x, -105.0f, 89.0f);
  auto [whole, exponent] = round(mul(x, constant(x, 0x1.715476p+0f)));
  // ln(2) in two parts, the first short enough for an exact product.
  Value r = muladd(whole, constant(x, -0x1.63p-1f), x);
  r = muladd(whole, constant(x, 0x1.bd0106p-13f), r);
  Value tail = muladd(mul(r, r), polynomial(r, kExp), r);
  return scale(add(tail, constant(x, 1.0f)), exponent);
}

Value F32Functions::exp2(Value x) const {
  x = clamp(x, -151.0f, 129.0f);
  auto [whole, exponent] = round(x);
  Value r = sub(x, whole);
  Value p = muladd(polynomial(r, kExp2), r, constant(x, 1.0f));
  return scale(p, exponent);
}

/// (high + low) * ln(x), the exponent of x counting (exponentHigh +
/// exponentLow).
Value F32Functions::logarithm(Value x, float high, float low,
                              float exponentHigh, float exponentLow) const {
  // Denormal numbers are made normal first.
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, x,
                                        constant(x, 0x1p-126f));
  Value normal =
      arith::SelectOp::create(b, loc, isSmall, mul(x, constant(x, 0x1p23f)), x);
  Value bias = arith::SelectOp::create(b, loc, isSmall, constant(x, -23.0f),
                                       constant(x, 0.0f));
  // x = 2^e * (1 + f), 1 + f from sqrt(1/2) on.
  Value root = integer(x, 0x3f3504f3);
  Value shifted = arith::SubIOp::create(b, loc, bits(normal), root);
  Value e = arith::SIToFPOp::create(
      b, loc, x.getType(),
      arith::ShRSIOp::create(b, loc, shifted, integer(x, 23)));
  e = add(e, bias);
  Value mantissa = arith::AndIOp::create(b, loc, shifted, integer(x, 0x7fffff));
  Value m = number(arith::AddIOp::create(b, loc, mantissa, root));
  Value f = sub(m, constant(x, 1.0f));

  Value square = mul(f, f);
  Value cubic = mul(mul(square, f), polynomial(f, kLog));
  Value tail = muladd(square, constant(x, -0.5f), cubic);
  // From the smallest term to the largest.
  Value sum = mul(e, constant(x, exponentLow));
  sum = muladd(f, constant(x, low), sum);
  sum = muladd(tail, constant(x, high), sum);
  sum = muladd(f, constant(x, high), sum);
  Value result = muladd(e, constant(x, exponentHigh), sum);

  // Special arguments: infinity, 0, negative numbers and NaN.
  const auto replace = [&](arith::CmpFPredicate predicate, float other,
                           float by) {
    Value is = arith::CmpFOp::create(b, loc, predicate, x, constant(x, other));
    result = arith::SelectOp::create(b, loc, is, constant(x, by), result)
                 .getResult();
  };
  const float infinity = std::numeric_limits<float>::infinity();
  replace(arith::CmpFPredicate::OEQ, infinity, infinity);
  replace(arith::CmpFPredicate::OEQ, 0.0f, -infinity);
  replace(arith::CmpFPredicate::ULT, 0.0f,
          std::numeric_limits<float>::quiet_NaN());
  return result;
}

Value F32Functions::log(Value x) const {
  return logarithm(x, 1.0f, 0.0f, 0x1.63p-1f, -0x1.bd0106p-13f);
}

Value F32Functions::log2(Value x) const {
  return logarithm(x, 0x1.715476p+0f, 0x1.4ae0cp-26f, 1.0f, 0.0f);
}

Value F32Functions::log10(Value x) const {
  return logarithm(x, 0x1.bcb7b2p-2f, -0x1.5b235ep-27f, 0x1.34p-2f,
                   0x1.04d428p-12f);
}

Value F32Functions::tanh(Value x) const {
  Value size = magnitude(x);
  Value square = mul(x, x);
  Value small = muladd(mul(square, size), polynomial(square, kTanh), size);
  // 1 - 2 / (exp(2x) + 1)
  Value one = constant(x, 1.0f);
  Value two = constant(x, 2.0f);
  Value growth = add(exp(add(size, size)), one);
  Value large = sub(one, arith::DivFOp::create(b, loc, two, growth));
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                        constant(x, 0.625f));
  Value result = arith::SelectOp::create(b, loc, isSmall, small, large);
  return withSignOf(result, x);
}

Value F32Functions::erf(Value x) const {
  Value size = magnitude(x);
  Value small = mul(size, polynomial(mul(x, x), kErf));
  // ln(1 - erf(x)) is nearly a parabola.
  static constexpr float kLogErfc[] = {
      -0x1.661a16p-12f, -0x1.2088ecp+0f, -0x1.46bae8p-1f, -0x1.a65356p-4f,
      0x1.65cb9ep-6f,   -0x1.825b48p-9f, 0x1.86de0cp-13f};
  Value bounded = clamp(size, 0.0f, 4.0f);
  Value rest = exp(polynomial(bounded, kLogErfc));
  Value large = sub(constant(x, 1.0f), rest);
  Value isSmall = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT, size,
                                        constant(x, 1.0f));
  Value result = arith::SelectOp::create(b, loc, isSmall, small, large);
  return withSignOf(result, x);
}

/// The sine of x plus a number of quarter turns.
Value F32Functions::sine(Value x, uint32_t quarterTurns) const {
  // The reduction to |r| <= pi / 4 is in f64, whose 53 bits hold the whole
  // multiple of pi / 2 and enough of the remainder.
  Type f64 = like(x, b.getF64Type());
  const auto wide = [&](double value) {
    return makeConstant(b, loc, f64, b.getF64FloatAttr(value));
  };
  Value angle = arith::ExtFOp::create(b, loc, f64, x);
  Value turns = math::RoundEvenOp::create(
      b, loc, arith::MulFOp::create(b, loc, angle, wide(0x1.45f306dc9c883p-1)));
  Value reduced =
      LLVM::FMulAddOp::create(b, loc, turns, wide(-0x1.921fb544p+0), angle);
  reduced = LLVM::FMulAddOp::create(b, loc, turns, wide(-0x1.0b4611a626331p-34),
                                    reduced);
  // Small angles stay as they are: -0 would become 0.
  Value isReduced = arith::CmpFOp::create(b, loc, arith::CmpFPredicate::OLT,
                                          magnitude(x), constant(x, 0.75f));
  Value r = arith::SelectOp::create(
      b, loc, isReduced, x,
      arith::TruncFOp::create(b, loc, x.getType(), reduced));
  Value quadrant =
      arith::FPToSIOp::create(b, loc, like(x, b.getI32Type()), turns);
  quadrant = arith::AddIOp::create(b, loc, quadrant, integer(x, quarterTurns));

  Value square = mul(r, r);
  // A product, so that -0 stays -0.
  Value sine =
      mul(r, muladd(square, polynomial(square, kSin), constant(x, 1.0f)));
  Value cosine = muladd(square, constant(x, -0.5f), constant(x, 1.0f));
  cosine = muladd(mul(square, square), polynomial(square, kCos), cosine);
  const auto has = [&](uint32_t bit) {
    Value masked = arith::AndIOp::create(b, loc, quadrant, integer(x, bit));
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne, masked,
                                 integer(x, 0));
  };
  Value value = arith::SelectOp::create(b, loc, has(1), cosine, sine);
  Value negative = arith::NegFOp::create(b, loc, value);
  return arith::SelectOp::create(b, loc, has(2), negative, value);
}

Value F32Functions::sin(Value x) const { return sine(x, 0); }

Value F32Functions::cos(Value x) const { return sine(x, 1); }

} // namespace tilewright::cpu
