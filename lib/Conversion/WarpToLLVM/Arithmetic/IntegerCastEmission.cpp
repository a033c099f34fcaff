#include "lib/Conversion/WarpToLLVM/Arithmetic/IntegerCastEmission.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/LLVMIR/LLVMDialect.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::hasFastCast(Type type, Type result, IntegerRange range) {
  constexpr int64_t kMost = int64_t(1) << 24;
  unsigned bits = type.getIntOrFloatBitWidth();
  if (bits < 8 || bits > 32)
    return false;
  // Integers beyond the range of exact f32 overflow to infinity in f16.
  return result.isF16() ||
         (result.isBF16() && (bits <= 16 || range.liesIn(-kMost, kMost))) ||
         (result.isF32() && bits < 32);
}

namespace {
/// A power of two whose last mantissa bit has weight one.
struct Base {
  int64_t value;
  uint32_t bits;
};
} // namespace

static Base getBase(Type type) {
  return type.isF16() ? Base{1024, 0x6400} : Base{128, 0x4300};
}

static Value emitAsPair(ImplicitLocOpBuilder &b, Value word, Type type) {
  return LLVM::BitcastOp::create(b, VectorType::get(2, type), word);
}

/// Emits a word with the 16-bit constant in both halves.
static Value emitTwice(ImplicitLocOpBuilder &b, uint32_t half) {
  return emitI32(b, int32_t(half << 16 | half));
}

static Value emitWide(ImplicitLocOpBuilder &b, Value value, bool isSigned) {
  Type i32 = b.getI32Type();
  if (value.getType() == i32)
    return value;
  return isSigned ? LLVM::SExtOp::create(b, i32, value).getResult()
                  : LLVM::ZExtOp::create(b, i32, value).getResult();
}

//===----------------------------------------------------------------------===//
// Small numbers
//===----------------------------------------------------------------------===//

/// Whether `range`, relative to its least value, fits below the base.
static bool isSmall(IntegerRange range, Type type) {
  int64_t base = getBase(type).value;
  return range.liesIn(-base + 1, 2 * base - 1) &&
         range.most - range.least < base;
}

/// Returns low + high * 2^16. If both are u16, the sum is a disjoint or.
static Value emitPacked(ImplicitLocOpBuilder &b, Value low, Value high,
                        bool areU16) {
  constexpr int64_t kHalf = 16;
  Value above = LLVM::ShlOp::create(b, high, emitI32(b, kHalf));
  if (!areU16)
    return LLVM::AddOp::create(b, low, above);
  auto both = LLVM::OrOp::create(b, low, above);
  both.setIsDisjoint(true);
  return both;
}

/// As `emitPacked`. Two differences of u16 become one difference of packed
/// words, so that a shift and a mask extract two fields, 16 bits apart, at
/// once.
static Value emitPackedDifferences(ImplicitLocOpBuilder &b, Value low,
                                   Value high, bool areU16Differences) {
  auto first = low.getDefiningOp<arith::SubIOp>();
  auto second = high.getDefiningOp<arith::SubIOp>();
  if (!areU16Differences || !first || !second)
    return emitPacked(b, low, high, /*areU16=*/false);
  return LLVM::SubOp::create(
      b, emitPacked(b, first.getLhs(), second.getLhs(), /*areU16=*/true),
      emitPacked(b, first.getRhs(), second.getRhs(), /*areU16=*/true));
}

/// Casts two integers of a range shorter than the base. Both are non-negative
/// once the base minus `least` is added, so packing carries nothing.
static void appendSmall(ImplicitLocOpBuilder &b, Value low, Value high,
                        bool isSigned, const CastFacts &facts, Type result,
                        SmallVectorImpl<Value> &floats) {
  Base base = getBase(result);
  const int64_t least = facts.range.least;
  Value packed = emitPackedDifferences(b, emitWide(b, low, isSigned),
                                       emitWide(b, high, isSigned),
                                       facts.areU16Differences);
  Value word = LLVM::AddOp::create(
      b, packed, emitTwice(b, uint32_t(int64_t(base.bits) - least)));
  Value sums = emitAsPair(b, word, result);
  auto type = cast<VectorType>(sums.getType());
  Attribute offset = b.getFloatAttr(result, double(base.value - least));
  Value offsets =
      LLVM::ConstantOp::create(b, type, DenseElementsAttr::get(type, offset));
  llvm::append_range(floats,
                     unpackVector(b, LLVM::FSubOp::create(b, sums, offsets)));
}

//===----------------------------------------------------------------------===//
// Bytes
//===----------------------------------------------------------------------===//

/// Spreads the bytes `first` and `first` + 1 of `word`: each becomes the low
/// byte of a 16-bit half whose high byte is `upper`.
static Value emitSpread(ImplicitLocOpBuilder &b, Value word, unsigned first,
                        uint32_t upper) {
  InlinePtx ptx(b);
  std::string result = ptx.out(b.getI32Type());
  std::string source = ptx.in(word);
  uint32_t selected = 0x4040 | (first + 1) << 8 | first;
  std::string text = "prmt.b32 " + result + ", " + source + ", " +
                     std::to_string(upper * 0x01010101u) + ", " +
                     std::to_string(selected) + ";";
  return ptx.emit(text, /*sideEffects=*/false)[0];
}

/// Casts two bytes, placed in the low bytes of 1024. The sign bits of signed
/// bytes were flipped, which added 128.
static Value emitF16Pair(ImplicitLocOpBuilder &b, Value word, unsigned first,
                         bool isSigned) {
  constexpr uint32_t k1024 = 0x6400, k1152 = 0x6480;
  Value sum = emitSpread(b, word, first, k1024 >> 8);
  Value offset = emitTwice(b, isSigned ? k1152 : k1024);
  return LLVM::FSubOp::create(b, emitAsPair(b, sum, b.getF16Type()),
                              emitAsPair(b, offset, b.getF16Type()));
}

/// Casts two bytes. A bf16 from 128 on has seven integer mantissa bits: those
/// of the byte but its highest, which selects between offsets 128 and 256.
static Value emitBF16Pair(ImplicitLocOpBuilder &b, Value word, unsigned first,
                          bool isSigned) {
  constexpr uint32_t k128 = 0x4300, kHighest = 0x80;
  Type type = b.getBF16Type();
  Value spread = emitSpread(b, word, first, k128 >> 8);
  Value low = LLVM::AndOp::create(b, spread, emitTwice(b, 0xffff - kHighest));
  // 256 if the highest bit is set (signed: negative) or clear (unsigned).
  Value selector =
      isSigned
          ? spread
          : LLVM::XOrOp::create(b, spread, emitTwice(b, kHighest)).getResult();
  Value offset =
      LLVM::AndOp::create(b, selector, emitTwice(b, 0xff00 | kHighest));
  Value result = LLVM::FSubOp::create(b, emitAsPair(b, low, type),
                                      emitAsPair(b, offset, type));
  if (isSigned)
    return result;
  return LLVM::FAddOp::create(b, result,
                              emitAsPair(b, emitTwice(b, k128), type));
}

/// Casts four bytes.
static void appendFromWord(ImplicitLocOpBuilder &b, ValueRange bytes,
                           bool isSigned, Type result,
                           SmallVectorImpl<Value> &floats) {
  Value word = packWords(b, bytes, 32)[0];
  if (result.isF16() && isSigned)
    word = LLVM::XOrOp::create(b, word, emitI32(b, int32_t(0x80808080)));
  for (unsigned first : {0, 2})
    llvm::append_range(
        floats, unpackVector(b, result.isF16()
                                    ? emitF16Pair(b, word, first, isSigned)
                                    : emitBF16Pair(b, word, first, isSigned)));
}

//===----------------------------------------------------------------------===//
// Other integers
//===----------------------------------------------------------------------===//

/// Casts by an f32 conversion of a 32-bit integer. It is inline PTX, since LLVM
/// would turn it back into a conversion of the narrow integer.
static Value emitThroughF32(ImplicitLocOpBuilder &b, Value value, bool isSigned,
                            Type result) {
  InlinePtx ptx(b);
  std::string wide = ptx.out(b.getF32Type());
  std::string source = ptx.in(emitWide(b, value, isSigned));
  std::string text = std::string("cvt.rn.f32.") + (isSigned ? "s32 " : "u32 ") +
                     wide + ", " + source + ";";
  Value converted = ptx.emit(text, /*sideEffects=*/false)[0];
  return result.isF32() ? converted
                        : LLVM::FPTruncOp::create(b, result, converted);
}

/// Converts an integer to f32 with round-to-odd: toward zero, with an odd last
/// bit if inexact. Rounding that again equals one rounding of the integer.
static Value emitOddF32(ImplicitLocOpBuilder &b, Value value, bool isSigned) {
  const std::string type =
      (isSigned ? "s" : "u") +
      std::to_string(value.getType().getIntOrFloatBitWidth());
  InlinePtx narrow(b), widen(b);
  std::string f32 = narrow.out(b.getF32Type()), integer = narrow.in(value);
  Value result =
      narrow.emit("cvt.rz.f32." + type + " " + f32 + ", " + integer + ";",
                  /*sideEffects=*/false)[0];
  integer = widen.out(value.getType());
  f32 = widen.in(result);
  Value back =
      widen.emit("cvt.rzi." + type + ".f32 " + integer + ", " + f32 + ";",
                 /*sideEffects=*/false)[0];
  Value inexact = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, back, value);
  Value bits = LLVM::BitcastOp::create(b, b.getI32Type(), result);
  bits = LLVM::OrOp::create(b, bits,
                            LLVM::ZExtOp::create(b, b.getI32Type(), inexact));
  return LLVM::BitcastOp::create(b, b.getF32Type(), bits);
}

SmallVector<Value> tilewright::emitBF16ThroughF32(ImplicitLocOpBuilder &b,
                                                  ValueRange values,
                                                  bool isSigned) {
  return llvm::map_to_vector(values, [&](Value value) -> Value {
    return LLVM::FPTruncOp::create(b, b.getBF16Type(),
                                   emitOddF32(b, value, isSigned));
  });
}

SmallVector<Value> tilewright::emitIntegerCast(ImplicitLocOpBuilder &b,
                                               const NvidiaTarget &target,
                                               ValueRange values, bool isSigned,
                                               const CastFacts &facts,
                                               Type result, unsigned pairBit) {
  SmallVector<Value> floats;
  bool hasPairs = result.isF16() || (result.isBF16() && target.hasPairs());
  bool isBytes = hasPairs && values[0].getType().isInteger(8) &&
                 !facts.range.liesIn(INT8_MIN + 1, INT8_MAX);
  const size_t stride = size_t(1) << pairBit;
  if (hasPairs && !isBytes && isSmall(facts.range, result) &&
      values.size() % (2 * stride) == 0) {
    floats.resize(values.size());
    for (size_t low = 0; low < values.size(); ++low) {
      if (low & stride)
        continue;
      SmallVector<Value> pair;
      appendSmall(b, values[low], values[low | stride], isSigned, facts, result,
                  pair);
      floats[low] = pair[0];
      floats[low | stride] = pair[1];
    }
    return floats;
  }
  while (floats.size() < values.size()) {
    ValueRange rest = values.drop_front(floats.size());
    if (isBytes && rest.size() >= 4)
      appendFromWord(b, rest.take_front(4), isSigned, result, floats);
    else
      floats.push_back(emitThroughF32(b, rest[0], isSigned, result));
  }
  return floats;
}
