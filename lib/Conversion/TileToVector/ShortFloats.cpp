#include "lib/Conversion/TileToVector/ShortFloats.h"

#include "dialect/Tile/TileTypes.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;

namespace tilewright::cpu {

bool travelsAsBits(Type element) {
  return element.isBF16() || tile::isFloat8(element);
}

bool isShortFloat(Type element) {
  return element.isF16() || element.isBF16() || tile::isFloat8(element);
}

namespace {
/// Shorthand for arithmetic on scalars and vectors of one shape.
struct Math {
  OpBuilder &b;
  Location loc;
  Type shape;

  Math(OpBuilder &b, Location loc, Value like)
      : b(b), loc(loc), shape(like.getType()) {}

  Type of(Type element) const {
    auto vector = dyn_cast<VectorType>(shape);
    return vector ? Type(vector.clone(element)) : element;
  }
  Value constant(TypedAttr scalar) const {
    auto vector = dyn_cast<VectorType>(shape);
    if (!vector)
      return arith::ConstantOp::create(b, loc, scalar);
    auto type = cast<VectorType>(of(scalar.getType()));
    return arith::ConstantOp::create(
        b, loc, DenseElementsAttr::get(type, Attribute(scalar)));
  }
  Value i32(uint32_t value) const {
    return constant(b.getI32IntegerAttr(static_cast<int32_t>(value)));
  }
  Value f32(float value) const { return constant(b.getF32FloatAttr(value)); }
  Value bits(Value value, Type element) const {
    return arith::BitcastOp::create(b, loc, of(element), value);
  }
  template <typename Op> Value op(Value lhs, Value rhs) const {
    return Op::create(b, loc, lhs, rhs);
  }
  Value select(Value condition, Value yes, Value no) const {
    return arith::SelectOp::create(b, loc, condition, yes, no);
  }
};

/// Layout of an 8-bit float.
struct ByteFloat {
  unsigned mantissa;
  int bias;
  uint32_t largest;
  uint32_t nan;
};
} // namespace

static ByteFloat byteFloat(Type element) {
  if (isa<Float8E4M3FNType>(element))
    return {3, 7, 0x7e, 0x7f};
  return {2, 15, 0x7b, 0x7f};
}

static Value extendE4M3(const Math &m, Value byte) {
  Type i32 = m.of(m.b.getI32Type());
  Value wide = arith::ExtUIOp::create(m.b, m.loc, i32, byte);
  Value magnitude = m.op<arith::AndIOp>(wide, m.i32(0x7f));
  // Exponent and mantissa in the positions of f32 give the value / 2^120.
  Value scaled =
      m.bits(m.op<arith::ShLIOp>(magnitude, m.i32(20)), m.b.getF32Type());
  Value value = m.op<arith::MulFOp>(scaled, m.f32(0x1p120f));
  Value isNan = arith::CmpIOp::create(m.b, m.loc, arith::CmpIPredicate::eq,
                                      magnitude, m.i32(0x7f));
  Value bits =
      m.select(isNan, m.i32(0x7fc00000), m.bits(value, m.b.getI32Type()));
  Value sign =
      m.op<arith::ShLIOp>(m.op<arith::AndIOp>(wide, m.i32(0x80)), m.i32(24));
  return m.bits(m.op<arith::OrIOp>(bits, sign), m.b.getF32Type());
}

/// bf16 is the upper half of f32.
static Value extendBF16(const Math &m, Value half) {
  Value wide = arith::ExtUIOp::create(m.b, m.loc, m.of(m.b.getI32Type()), half);
  return m.bits(m.op<arith::ShLIOp>(wide, m.i32(16)), m.b.getF32Type());
}

/// E5M2 is the upper byte of f16.
static Value extendE5M2(const Math &m, Value byte) {
  Value wide = arith::ExtUIOp::create(m.b, m.loc, m.of(m.b.getI16Type()), byte);
  Value eight = m.constant(m.b.getI16IntegerAttr(8));
  Value half = m.bits(m.op<arith::ShLIOp>(wide, eight), m.b.getF16Type());
  return arith::ExtFOp::create(m.b, m.loc, m.of(m.b.getF32Type()), half);
}

Value extendToF32(OpBuilder &builder, Location loc, Value value, Type element) {
  Math m(builder, loc, value);
  if (isa<Float8E4M3FNType>(element))
    return extendE4M3(m, value);
  if (isa<Float8E5M2Type>(element))
    return extendE5M2(m, value);
  if (element.isBF16())
    return extendBF16(m, value);
  return arith::ExtFOp::create(builder, loc, m.of(builder.getF32Type()), value);
}

static Value roundToBF16(const Math &m, Value value) {
  Value bits = m.bits(value, m.b.getI32Type());
  Value odd =
      m.op<arith::AndIOp>(m.op<arith::ShRUIOp>(bits, m.i32(16)), m.i32(1));
  Value rounded =
      m.op<arith::AddIOp>(bits, m.op<arith::AddIOp>(odd, m.i32(0x7fff)));
  // Rounding could carry a NaN into an infinity.
  Value quiet = m.op<arith::OrIOp>(bits, m.i32(0x00400000));
  Value isNan = arith::CmpFOp::create(m.b, m.loc, arith::CmpFPredicate::UNO,
                                      value, value);
  Value upper =
      m.op<arith::ShRUIOp>(m.select(isNan, quiet, rounded), m.i32(16));
  return arith::TruncIOp::create(m.b, m.loc, m.of(m.b.getI16Type()), upper);
}

/// Rounds a magnitude that is at least the smallest normal number.
static Value roundNormal(const Math &m, Value magnitude, ByteFloat format) {
  const unsigned dropped = 23 - format.mantissa;
  Value odd = m.op<arith::AndIOp>(
      m.op<arith::ShRUIOp>(magnitude, m.i32(dropped)), m.i32(1));
  Value bias = m.i32((1u << (dropped - 1)) - 1 -
                     (static_cast<uint32_t>(127 - format.bias) << 23));
  Value sum = m.op<arith::AddIOp>(magnitude, m.op<arith::AddIOp>(odd, bias));
  return m.op<arith::ShRUIOp>(sum, m.i32(dropped));
}

/// Rounds a magnitude below the smallest normal number. Adding a number whose
/// last bit weighs as much as the byte's makes the hardware round.
static Value roundSubnormal(const Math &m, Value magnitude, ByteFloat format) {
  const int exponent = 23 - static_cast<int>(format.mantissa) + 1 - format.bias;
  const uint32_t magic = static_cast<uint32_t>(exponent + 127) << 23;
  Value sum = m.op<arith::AddFOp>(m.bits(magnitude, m.b.getF32Type()),
                                  m.bits(m.i32(magic), m.b.getF32Type()));
  return m.op<arith::SubIOp>(m.bits(sum, m.b.getI32Type()), m.i32(magic));
}

static Value roundToByte(const Math &m, Value value, Type element) {
  const ByteFloat format = byteFloat(element);
  const uint32_t smallestNormal = static_cast<uint32_t>(128 - format.bias)
                                  << 23;
  Value bits = m.bits(value, m.b.getI32Type());
  Value magnitude = m.op<arith::AndIOp>(bits, m.i32(0x7fffffff));
  Value isSmall = arith::CmpIOp::create(m.b, m.loc, arith::CmpIPredicate::ult,
                                        magnitude, m.i32(smallestNormal));
  Value rounded = m.select(isSmall, roundSubnormal(m, magnitude, format),
                           roundNormal(m, magnitude, format));
  Value finite = m.op<arith::MinUIOp>(rounded, m.i32(format.largest));
  Value isNan = arith::CmpIOp::create(m.b, m.loc, arith::CmpIPredicate::ugt,
                                      magnitude, m.i32(0x7f800000));
  Value byte = m.select(isNan, m.i32(format.nan), finite);
  Value sign =
      m.op<arith::AndIOp>(m.op<arith::ShRUIOp>(bits, m.i32(24)), m.i32(0x80));
  return arith::TruncIOp::create(m.b, m.loc, m.of(m.b.getI8Type()),
                                 m.op<arith::OrIOp>(byte, sign));
}

Value roundFromF32(OpBuilder &builder, Location loc, Value value,
                   Type element) {
  Math m(builder, loc, value);
  if (tile::isFloat8(element))
    return roundToByte(m, value, element);
  if (element.isBF16())
    return roundToBF16(m, value);
  return arith::TruncFOp::create(builder, loc, m.of(element), value);
}

Value roundToOddF32(OpBuilder &builder, Location loc, Value value) {
  Math m(builder, loc, value);
  Type f32 = m.of(builder.getF32Type());
  Value nearest = arith::TruncFOp::create(builder, loc, f32, value);
  Value back = arith::ExtFOp::create(builder, loc, value.getType(), nearest);
  const auto compare = [&](arith::CmpFPredicate predicate, Value a, Value b) {
    return arith::CmpFOp::create(builder, loc, predicate, a, b);
  };
  Type f64 = value.getType();
  const auto magnitude = [&](Value v) -> Value {
    Value bits = m.bits(v, builder.getI64Type());
    Value mask = m.constant(builder.getI64IntegerAttr(INT64_MAX));
    return arith::BitcastOp::create(builder, loc, f64,
                                    m.op<arith::AndIOp>(bits, mask));
  };
  Value inexact = compare(arith::CmpFPredicate::UNE, back, value);
  Value away =
      compare(arith::CmpFPredicate::OGT, magnitude(back), magnitude(value));
  Value bits = m.bits(nearest, builder.getI32Type());
  Value towardZero = m.select(away, m.op<arith::SubIOp>(bits, m.i32(1)), bits);
  Value odd = m.op<arith::OrIOp>(towardZero, m.i32(1));
  return m.bits(m.select(inexact, odd, bits), builder.getF32Type());
}

/// `a + b` (f64) with round-to-odd: an inexact sum becomes the neighbour with
/// an odd last bit. D. Knuth's TwoSum gives what the rounding to nearest left
/// out.
static Value addToOdd(const Math &m, Value a, Value b) {
  Value sum = m.op<arith::AddFOp>(a, b);
  Value part = m.op<arith::SubFOp>(sum, a);
  Value restOfA = m.op<arith::SubFOp>(a, m.op<arith::SubFOp>(sum, part));
  Value rest = m.op<arith::AddFOp>(restOfA, m.op<arith::SubFOp>(b, part));
  Value zero = m.constant(m.b.getF64FloatAttr(0.0));
  Value bits = m.bits(sum, m.b.getI64Type());
  const auto compare = [&](arith::CmpFPredicate predicate, Value x) -> Value {
    return arith::CmpFOp::create(m.b, m.loc, predicate, x, zero);
  };
  // NaN, as of infinite sums, is no rest. Toward zero the bits decrease.
  Value inexact = compare(arith::CmpFPredicate::ONE, rest);
  Value towardZero =
      arith::CmpIOp::create(m.b, m.loc, arith::CmpIPredicate::ne,
                            compare(arith::CmpFPredicate::OLT, rest),
                            compare(arith::CmpFPredicate::OLT, sum));
  Value one = m.constant(m.b.getI64IntegerAttr(1));
  Value below = m.op<arith::SubIOp>(bits, one);
  Value odd = m.op<arith::OrIOp>(m.select(towardZero, below, bits), one);
  return m.bits(m.select(inexact, odd, bits), m.b.getF64Type());
}

/// The product of two short floats has at most 22 bits, from 2^-266 to 2^256,
/// so it is exact in f64. The sum is rounded to odd in f64, then to odd in f32,
/// then to nearest. A rounding to odd with two bits more than the next format
/// changes nothing about the next rounding (S. Boldo and G. Melquiond,
/// "Emulation of FMA and correctly rounded sums: proved algorithms using
/// rounding to odd", theorem 1): f64 has 53 bits, f32 24, f16 11.
Value emitShortFma(OpBuilder &builder, Location loc, ValueRange operands,
                   Type element) {
  Math m(builder, loc, operands[0]);
  Type f64 = m.of(builder.getF64Type());
  SmallVector<Value> wide;
  for (Value operand : operands)
    wide.push_back(arith::ExtFOp::create(
        builder, loc, f64, extendToF32(builder, loc, operand, element)));
  Value sum = addToOdd(m, m.op<arith::MulFOp>(wide[0], wide[1]), wide[2]);
  return roundFromF32(builder, loc, roundToOddF32(builder, loc, sum), element);
}

/// f64 holds each half of a 64-bit integer.
static Value integerToOddF64(const Math &m, Value value, bool isSigned) {
  Type f64 = m.of(m.b.getF64Type());
  const auto convert = [&](Value integer, bool hasSign) -> Value {
    return hasSign
               ? arith::SIToFPOp::create(m.b, m.loc, f64, integer).getResult()
               : arith::UIToFPOp::create(m.b, m.loc, f64, integer).getResult();
  };
  if (getElementTypeOrSelf(value.getType()).getIntOrFloatBitWidth() <= 32)
    return convert(value, isSigned);
  Value width = m.constant(m.b.getI64IntegerAttr(32));
  Value high = isSigned ? m.op<arith::ShRSIOp>(value, width)
                        : m.op<arith::ShRUIOp>(value, width);
  Value low =
      m.op<arith::AndIOp>(value, m.constant(m.b.getI64IntegerAttr(UINT32_MAX)));
  Value factor = m.constant(m.b.getF64FloatAttr(0x1p32));
  return addToOdd(m, m.op<arith::MulFOp>(convert(high, isSigned), factor),
                  convert(low, /*hasSign=*/true));
}

Value integerToOddF32(OpBuilder &builder, Location loc, Value value,
                      bool isSigned) {
  return roundToOddF32(
      builder, loc,
      integerToOddF64(Math(builder, loc, value), value, isSigned));
}

Value convertFloat(OpBuilder &builder, Location loc, Value value, Type from,
                   Type to) {
  if (from == to)
    return value;
  Math m(builder, loc, value);
  if (isShortFloat(from)) {
    value = extendToF32(builder, loc, value, from);
    from = builder.getF32Type();
    return convertFloat(builder, loc, value, from, to);
  }
  if (isShortFloat(to)) {
    if (from.isF64())
      value = roundToOddF32(builder, loc, value);
    return roundFromF32(builder, loc, value, to);
  }
  if (from.getIntOrFloatBitWidth() < to.getIntOrFloatBitWidth())
    return arith::ExtFOp::create(builder, loc, m.of(to), value);
  return arith::TruncFOp::create(builder, loc, m.of(to), value);
}

} // namespace tilewright::cpu
