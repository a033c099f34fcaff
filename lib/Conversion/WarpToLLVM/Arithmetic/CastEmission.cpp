#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

static Value emitFloatCast(ImplicitLocOpBuilder &b, Value value, Type type) {
  unsigned from = value.getType().getIntOrFloatBitWidth();
  unsigned to = type.getIntOrFloatBitWidth();
  if (value.getType() == type)
    return value;
  if (from < to)
    return LLVM::FPExtOp::create(b, type, value);
  if (from > to)
    return LLVM::FPTruncOp::create(b, type, value);
  return emitFloatCast(b, emitFloatCast(b, value, b.getF32Type()), type);
}

static Value emitInt(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  return LLVM::ConstantOp::create(b, type, b.getIntegerAttr(type, value));
}

static Value emitF32(ImplicitLocOpBuilder &b, float value) {
  return LLVM::ConstantOp::create(b, b.getF32Type(), b.getF32FloatAttr(value));
}

//===----------------------------------------------------------------------===//
// Widening
//===----------------------------------------------------------------------===//

/// f8E5M2 is the high byte of an f16.
static Value emitHalfFromE5M2(ImplicitLocOpBuilder &b, Value byte) {
  Type i16 = b.getI16Type();
  Value bits = LLVM::ShlOp::create(b, LLVM::ZExtOp::create(b, i16, byte),
                                   emitInt(b, i16, 8));
  return LLVM::BitcastOp::create(b, b.getF16Type(), bits);
}

/// Exponent and mantissa of f8E4M3FN, in their positions in an f16, are the
/// value divided by 2^(15 - 7), the ratio of the biases. The multiplication by
/// it is exact, also for subnormals.
static Value emitHalfFromE4M3(ImplicitLocOpBuilder &b, Value byte) {
  Type i16 = b.getI16Type(), f16 = b.getF16Type();
  Value wide = LLVM::ZExtOp::create(b, i16, byte);
  Value magnitude = LLVM::AndOp::create(b, wide, emitInt(b, i16, 0x7f));
  Value scaled = LLVM::BitcastOp::create(
      b, f16, LLVM::ShlOp::create(b, magnitude, emitInt(b, i16, 7)));
  Value factor = LLVM::ConstantOp::create(b, f16, b.getFloatAttr(f16, 256.0));
  Value value =
      LLVM::BitcastOp::create(b, i16, LLVM::FMulOp::create(b, scaled, factor));
  Value isNan = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, magnitude,
                                     emitInt(b, i16, 0x7f));
  value = LLVM::SelectOp::create(b, isNan, emitInt(b, i16, 0x7e00), value);
  Value sign = LLVM::ShlOp::create(
      b, LLVM::AndOp::create(b, wide, emitInt(b, i16, 0x80)),
      emitInt(b, i16, 8));
  return LLVM::BitcastOp::create(b, f16, LLVM::OrOp::create(b, value, sign));
}

static StringRef getPtxName(Type float8) {
  return isa<Float8E5M2Type>(float8) ? "e5m2x2" : "e4m3x2";
}

/// Converts two bytes at a time.
static SmallVector<Value> emitF16ByPtx(ImplicitLocOpBuilder &b,
                                       ValueRange bytes, Type float8) {
  Value packed = packWords(b, bytes, 16)[0];
  InlinePtx ptx(b);
  std::string result = ptx.out(b.getI32Type());
  std::string source = ptx.in(packed);
  std::string text = ("cvt.rn.f16x2." + getPtxName(float8) + " " + result +
                      ", " + source + ";")
                         .str();
  return unpackWords(b, ptx.emit(text, /*sideEffects=*/false), b.getF16Type());
}

SmallVector<Value> tilewright::emitFromFloat8(ImplicitLocOpBuilder &b,
                                              const NvidiaTarget &target,
                                              ValueRange bytes, Type float8,
                                              Type result) {
  SmallVector<Value> converted;
  for (unsigned i = 0; i < bytes.size();) {
    if (isa<Float8E5M2Type>(float8)) {
      converted.push_back(emitHalfFromE5M2(b, bytes[i++]));
    } else if (target.hasFloat8() && i + 1 < bytes.size()) {
      llvm::append_range(converted, emitF16ByPtx(b, bytes.slice(i, 2), float8));
      i += 2;
    } else {
      converted.push_back(emitHalfFromE4M3(b, bytes[i++]));
    }
  }
  for (Value &value : converted)
    value = emitFloatCast(b, value, result);
  return converted;
}

//===----------------------------------------------------------------------===//
// Narrowing
//===----------------------------------------------------------------------===//

namespace {
struct Float8Format {
  unsigned mantissaBits;
  unsigned bias;
  unsigned largest; // the largest finite value
};
} // namespace

static Float8Format getFormat(Type float8) {
  if (isa<Float8E5M2Type>(float8))
    return {2, 15, 0x7b};
  return {3, 7, 0x7e};
}

/// Rounds a positive f32, given by its bits, with integer arithmetic.
static Value emitRoundMagnitude(ImplicitLocOpBuilder &b, Value bits,
                                const Float8Format &format) {
  unsigned shift = 23 - format.mantissaBits;
  // Normal results: add half a unit in the last place, or just less so that
  // ties go to even, truncate, and change the bias.
  Value last = LLVM::AndOp::create(
      b, LLVM::LShrOp::create(b, bits, emitI32(b, shift)), emitI32(b, 1));
  Value rounded = LLVM::AddOp::create(
      b, LLVM::AddOp::create(b, bits, emitI32(b, (1 << (shift - 1)) - 1)),
      last);
  Value normal = LLVM::SubOp::create(
      b, LLVM::LShrOp::create(b, rounded, emitI32(b, shift)),
      emitI32(b, (127 - format.bias) << format.mantissaBits));
  normal = LLVM::UMinOp::create(b, normal, emitI32(b, format.largest));
  // Subnormal results: adding a float whose last bit has the weight of theirs
  // rounds them, and leaves the result in the low bits.
  int magicExponent = 23 + 1 - int(format.bias) - int(format.mantissaBits);
  Value magic = emitF32(b, float(1 << magicExponent));
  Value sum = LLVM::FAddOp::create(
      b, LLVM::BitcastOp::create(b, b.getF32Type(), bits), magic);
  Value subnormal =
      LLVM::SubOp::create(b, LLVM::BitcastOp::create(b, b.getI32Type(), sum),
                          LLVM::BitcastOp::create(b, b.getI32Type(), magic));
  Value isNormal =
      LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, bits,
                           emitI32(b, (127 + 1 - format.bias) << 23));
  return LLVM::SelectOp::create(b, isNormal, normal, subnormal);
}

static Value emitFloat8(ImplicitLocOpBuilder &b, Value value, Type float8) {
  Type i32 = b.getI32Type();
  Value bits = LLVM::BitcastOp::create(b, i32, value);
  Value magnitude = LLVM::AndOp::create(b, bits, emitI32(b, 0x7fffffff));
  Value rounded = emitRoundMagnitude(b, magnitude, getFormat(float8));
  Value isNan = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ugt, magnitude,
                                     emitI32(b, 0x7f800000));
  rounded = LLVM::SelectOp::create(b, isNan, emitI32(b, 0x7f), rounded);
  Value sign = LLVM::AndOp::create(
      b, LLVM::LShrOp::create(b, bits, emitI32(b, 24)), emitI32(b, 0x80));
  return LLVM::TruncOp::create(b, b.getI8Type(),
                               LLVM::OrOp::create(b, rounded, sign));
}

/// Converts an f64 to f32 with round-to-odd: an inexact result has an odd last
/// bit. Rounding it again to a narrower format then equals a single rounding.
static Value emitOddF32(ImplicitLocOpBuilder &b, Value value) {
  Type f32 = b.getF32Type(), i32 = b.getI32Type();
  InlinePtx ptx(b);
  std::string result = ptx.out(f32), source = ptx.in(value);
  Value towardZero = ptx.emit("cvt.rz.f32.f64 " + result + ", " + source + ";",
                              /*sideEffects=*/false)[0];
  Value back = LLVM::FPExtOp::create(b, value.getType(), towardZero);
  Value inexact =
      LLVM::FCmpOp::create(b, LLVM::FCmpPredicate::une, back, value);
  Value bits = LLVM::BitcastOp::create(b, i32, towardZero);
  bits = LLVM::OrOp::create(b, bits, LLVM::ZExtOp::create(b, i32, inexact));
  return LLVM::BitcastOp::create(b, f32, bits);
}

/// Converts two f32 at a time; the first operand of the instruction becomes the
/// upper byte.
static SmallVector<Value> emitFloat8ByPtx(ImplicitLocOpBuilder &b, Value low,
                                          Value high, Type float8) {
  InlinePtx ptx(b);
  std::string result = ptx.out(b.getI16Type());
  std::string first = ptx.in(high), second = ptx.in(low);
  std::string text = ("cvt.rn.satfinite." + getPtxName(float8) + ".f32 " +
                      result + ", " + first + ", " + second + ";")
                         .str();
  return unpackWords(b, ptx.emit(text, /*sideEffects=*/false), b.getI8Type());
}

SmallVector<Value> tilewright::emitToFloat8(ImplicitLocOpBuilder &b,
                                            const NvidiaTarget &target,
                                            ValueRange floats, Type float8) {
  SmallVector<Value> wide, bytes;
  for (Value value : floats)
    wide.push_back(value.getType().isF64()
                       ? emitOddF32(b, value)
                       : emitFloatCast(b, value, b.getF32Type()));
  for (unsigned i = 0; i < wide.size();) {
    if (target.hasFloat8()) {
      Value high = i + 1 < wide.size() ? wide[i + 1] : wide[i];
      SmallVector<Value> pair = emitFloat8ByPtx(b, wide[i], high, float8);
      bytes.push_back(pair[0]);
      if (i + 1 < wide.size())
        bytes.push_back(pair[1]);
      i += 2;
    } else {
      bytes.push_back(emitFloat8(b, wide[i++], float8));
    }
  }
  return bytes;
}
