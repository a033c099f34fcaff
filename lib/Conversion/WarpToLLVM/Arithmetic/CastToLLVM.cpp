// Casts between 8-bit floats and other floats, casts from integers to floats,
// and pointer casts. All other casts are plain elementwise ops.

#include "lib/Conversion/WarpToLLVM/Arithmetic/CastEmission.h"
#include "lib/Conversion/WarpToLLVM/Arithmetic/IntegerCastEmission.h"
#include "lib/Conversion/WarpToLLVM/Common/RegisterPacking.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/IntegerRanges.h"
#include "lib/Analysis/Facts/RepeatedRegisters.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"
#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

bool tilewright::castsThroughOddF32(Operation *op, const NvidiaTarget &target) {
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) || target.hasIntegerToBF16())
    return false;
  Type from = getElementTypeOrSelf(op->getOperand(0).getType());
  return getElementTypeOrSelf(op->getResult(0).getType()).isBF16() &&
         from.getIntOrFloatBitWidth() >= 32;
}

namespace {

/// extf and truncf where the source or the result is an 8-bit float.
template <typename Op>
class Float8CastLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  Float8CastLowering(const WarpTypeConverter &converter,
                     const NvidiaTarget &target)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), target(target) {}

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type from = getElementTypeOrSelf(op.getIn().getType());
    Type to = getElementTypeOrSelf(op.getType());
    if (!tile::isFloat8(from) && !tile::isFloat8(to))
      return rewriter.notifyMatchFailure(op, "no 8-bit float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> values(adaptor.getIn());
    if (tile::isFloat8(from))
      values = emitFromFloat8(b, target, values, from,
                              tile::isFloat8(to) ? Type(b.getF32Type()) : to);
    if (tile::isFloat8(to))
      values = emitToFloat8(b, target, values, to);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }

private:
  const NvidiaTarget target;
};

/// sitofp and uitofp. On tiles several values of a thread are cast at a time.
template <typename Op>
class IntegerCastLowering : public ConvertOpToLLVMPattern<Op> {
public:
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  IntegerCastLowering(const WarpTypeConverter &converter,
                      const NvidiaTarget &target,
                      const RepeatedRegisters &repeated,
                      const CastRanges &ranges)
      : ConvertOpToLLVMPattern<Op>(converter, /*benefit=*/2), target(target),
        repeated(repeated), ranges(ranges) {}

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    Type to = getElementTypeOrSelf(op.getType());
    Type from = getElementTypeOrSelf(op.getIn().getType());
    constexpr bool isSigned = std::is_same_v<Op, arith::SIToFPOp>;
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto range = ranges.find(op);
    if (range != ranges.end() && repeated.get(op) == 1 &&
        hasFastCast(from, to, range->second.range)) {
      rewriter.replaceOpWithMultiple(
          op,
          {emitIntegerCast(b, target, adaptor.getIn(), isSigned, range->second,
                           to, findNeighbourBit(op.getType()))});
      return success();
    }
    if (!castsThroughOddF32(op, target))
      return rewriter.notifyMatchFailure(op, "an elementwise op like others");
    rewriter.replaceOpWithMultiple(
        op, {emitBF16ThroughF32(b, adaptor.getIn(), isSigned)});
    return success();
  }

private:
  const NvidiaTarget target;
  const RepeatedRegisters &repeated;
  const CastRanges &ranges;
};

/// Flips the sign bit of an 8-bit float. The path through f32 that other
/// arithmetic takes would lose infinities.
class Float8NegLowering : public ConvertOpToLLVMPattern<arith::NegFOp> {
public:
  explicit Float8NegLowering(const WarpTypeConverter &converter)
      : ConvertOpToLLVMPattern(converter, /*benefit=*/2) {}

  LogicalResult
  matchAndRewrite(arith::NegFOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    if (!tile::isFloat8(getElementTypeOrSelf(op.getType())))
      return rewriter.notifyMatchFailure(op, "no 8-bit float");
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Value sign =
        LLVM::ConstantOp::create(b, b.getI8Type(), b.getI8IntegerAttr(-0x80));
    SmallVector<Value> values;
    for (Value value : adaptor.getOperand())
      values.push_back(LLVM::XOrOp::create(b, value, sign));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

/// int_to_ptr, ptr_to_int and bitcast: the same 64 bits.
template <typename Op> struct PointerCastLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    Type type = this->getTypeConverter()->convertType(
        getElementTypeOrSelf(op.getType()));
    SmallVector<Value> values;
    for (Value value : adaptor.getSource())
      values.push_back(emitBitcast(b, value, type));
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

} // namespace

/// Whether `number` is in [0, 2^16), or a difference of two such numbers.
static bool isU16Difference(Value number, IntegerRanges &ranges) {
  auto isU16 = [&](Value value) {
    return ranges.get(value).liesIn(0, UINT16_MAX);
  };
  auto difference = number.getDefiningOp<arith::SubIOp>();
  return difference ? isU16(difference.getLhs()) && isU16(difference.getRhs())
                    : isU16(number);
}

CastRanges tilewright::findCastRanges(ModuleOp module) {
  CastRanges found;
  IntegerRanges ranges;
  module.walk([&](Operation *op) {
    if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) ||
        !isa<RankedTensorType>(op->getResult(0).getType()))
      return;
    Value number = op->getOperand(0);
    unsigned bits =
        getElementTypeOrSelf(number.getType()).getIntOrFloatBitWidth();
    if (bits > 32)
      return;
    IntegerRange range = ranges.get(number);
    if (isa<arith::UIToFPOp>(op) && range.least < 0)
      range = {0, int64_t(llvm::maxUIntN(bits))};
    found[op] = {range, isU16Difference(number, ranges)};
  });
  return found;
}

void tilewright::populateCastToLLVM(const WarpTypeConverter &converter,
                                    const NvidiaTarget &target,
                                    const RepeatedRegisters &repeated,
                                    const CastRanges &ranges,
                                    RewritePatternSet &patterns) {
  patterns.add<IntegerCastLowering<arith::SIToFPOp>,
               IntegerCastLowering<arith::UIToFPOp>>(converter, target,
                                                     repeated, ranges);
  patterns.add<Float8CastLowering<arith::ExtFOp>,
               Float8CastLowering<arith::TruncFOp>>(converter, target);
  patterns.add<PointerCastLowering<tile::IntToPtrOp>,
               PointerCastLowering<tile::PtrToIntOp>,
               PointerCastLowering<tile::BitcastOp>, Float8NegLowering>(
      converter);
}
