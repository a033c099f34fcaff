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
  // What f32 can not hold is infinite as f16.
  return result.isF16() ||
         (result.isBF16() && (bits <= 16 || range.liesIn(-kMost, kMost))) ||
         (result.isF32() && bits < 32);
}

namespace {
/// A power of two of which the last place is one.
struct Base {
  int64_t value;
  uint32_t bits;
};
} // namespace

static Base getBase(Type type) {
  return type.isF16() ? Base{1024, 0x6400} : Base{128, 0x4300};
}

static Value emitAsHalves(ImplicitLocOpBuilder &b, Value word, Type type) {
  return LLVM::BitcastOp::create(b, VectorType::get(2, type), word);
}

/// The constant in both halves of a word.
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

/// Whether what lies above the least of `range` fits below the base.
static bool isSmall(IntegerRange range, Type type) {
  int64_t base = getBase(type).value;
  return range.liesIn(-base + 1, 2 * base - 1) &&
         range.most - range.least < base;
}

/// low + high * 2^16; of numbers that fit in halves each has one.
static Value emitJoined(ImplicitLocOpBuilder &b, Value low, Value high,
                        bool areHalves) {
  constexpr int64_t kHalf = 16;
  Value above = LLVM::ShlOp::create(b, high, emitI32(b, kHalf));
  if (!areHalves)
    return LLVM::AddOp::create(b, low, above);
  auto both = LLVM::OrOp::create(b, low, above);
  both.setIsDisjoint(true);
  return both;
}

/// The same, of differences of such numbers as one difference: what shifts and
/// masks take out of a word at places 16 bits apart is taken out at once.
static Value emitJoinedDifferences(ImplicitLocOpBuilder &b, Value low,
                                   Value high, bool areOfHalves) {
  auto first = low.getDefiningOp<arith::SubIOp>();
  auto second = high.getDefiningOp<arith::SubIOp>();
  if (!areOfHalves || !first || !second)
    return emitJoined(b, low, high, /*areHalves=*/false);
  return LLVM::SubOp::create(
      b, emitJoined(b, first.getLhs(), second.getLhs(), /*areHalves=*/true),
      emitJoined(b, first.getRhs(), second.getRhs(), /*areHalves=*/true));
}

/// Two numbers from `least` on, of which the base has as many below it. Both
/// are positive with it, so what joins them carries nothing.
static void appendSmall(ImplicitLocOpBuilder &b, Value low, Value high,
                        bool isSigned, const CastFacts &facts, Type result,
                        SmallVectorImpl<Value> &floats) {
  Base base = getBase(result);
  const int64_t least = facts.range.least;
  Value joined =
      emitJoinedDifferences(b, emitWide(b, low, isSigned),
                            emitWide(b, high, isSigned), facts.areOfHalves);
  Value word = LLVM::AddOp::create(
      b, joined, emitTwice(b, uint32_t(int64_t(base.bits) - least)));
  Value sums = emitAsHalves(b, word, result);
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

/// Two bytes of `word`, `first` and the one behind it, each as the lower byte
/// of a half whose upper byte is `upper`.
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

/// The two bytes in the lower halves of 1024 and more. Those that are negative
/// had their sign turned, which added 128.
static Value emitF16Pair(ImplicitLocOpBuilder &b, Value word, unsigned first,
                         bool isSigned) {
  constexpr uint32_t k1024 = 0x6400, k1152 = 0x6480;
  Value sum = emitSpread(b, word, first, k1024 >> 8);
  Value offset = emitTwice(b, isSigned ? k1152 : k1024);
  return LLVM::FSubOp::create(b, emitAsHalves(b, sum, b.getF16Type()),
                              emitAsHalves(b, offset, b.getF16Type()));
}

/// A bfloat16 from 128 on has seven bits in front of the point: those of the
/// byte but its highest, which is the difference between 128 and 256.
static Value emitBF16Pair(ImplicitLocOpBuilder &b, Value word, unsigned first,
                          bool isSigned) {
  constexpr uint32_t k128 = 0x4300, kHighest = 0x80;
  Type type = b.getBF16Type();
  Value spread = emitSpread(b, word, first, k128 >> 8);
  Value low = LLVM::AndOp::create(b, spread, emitTwice(b, 0xffff - kHighest));
  // 256 where the highest bit makes the byte negative, or where it is not set.
  Value turned =
      isSigned
          ? spread
          : LLVM::XOrOp::create(b, spread, emitTwice(b, kHighest)).getResult();
  Value offset =
      LLVM::AndOp::create(b, turned, emitTwice(b, 0xff00 | kHighest));
  Value result = LLVM::FSubOp::create(b, emitAsHalves(b, low, type),
                                      emitAsHalves(b, offset, type));
  if (isSigned)
    return result;
  return LLVM::FAddOp::create(b, result,
                              emitAsHalves(b, emitTwice(b, k128), type));
}

/// Four bytes.
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

/// LLVM would make a conversion from fewer bits of an extension and a
/// conversion, so it is not to see them.
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

/// The integer as an f32 with round-to-odd: rounded toward zero, with an odd
/// last bit if inexact. Rounding that once more rounds the integer once.
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
  const size_t apart = size_t(1) << pairBit;
  if (hasPairs && !isBytes && isSmall(facts.range, result) &&
      values.size() % (2 * apart) == 0) {
    floats.resize(values.size());
    for (size_t low = 0; low < values.size(); ++low) {
      if (low & apart)
        continue;
      SmallVector<Value> pair;
      appendSmall(b, values[low], values[low | apart], isSigned, facts, result,
                  pair);
      floats[low] = pair[0];
      floats[low | apart] = pair[1];
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
