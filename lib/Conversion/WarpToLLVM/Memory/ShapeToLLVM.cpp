// Ops that create tiles or change their shape. Layout inference keeps every
// element in its thread: each result register is an operand register.

#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"
#include "lib/Conversion/WarpToLLVM/Patterns.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Layout/LayoutInference.h"

#include "mlir/Conversion/LLVMCommon/Pattern.h"

using namespace mlir;
using namespace tilewright;

namespace {

struct RangeLowering : ConvertOpToLLVMPattern<tile::RangeOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::RangeOp op, OneToNOpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> values =
        emitFlatIndices(b, getLayoutOrScalar(op.getType()));
    // Neither the index nor index + start overflows i32.
    auto flags = LLVM::IntegerOverflowFlags::nsw;
    if (op.getStart() != 0)
      for (Value &value : values)
        value = LLVM::AddOp::create(b, value, emitI32(b, op.getStart()), flags);
    rewriter.replaceOpWithMultiple(op, {values});
    return success();
  }
};

struct SplatLowering : ConvertOpToLLVMPattern<tile::SplatOp> {
  using ConvertOpToLLVMPattern::ConvertOpToLLVMPattern;

  LogicalResult
  matchAndRewrite(tile::SplatOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> registers(getNumRegisters(op.getType()),
                                 adaptor.getSource().front());
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Ops whose result registers are operand registers selected by `getMap`.
template <typename Op, std::optional<LinearLayout> (*getMap)(
                           const LinearLayout &, const LinearLayout &)>
struct RegisterMapLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    std::optional<LinearLayout> map =
        getMap(getLayoutOrScalar(op.getSource().getType()),
               getLayoutOrScalar(op.getType()));
    if (!map)
      return op.emitOpError("would move elements between threads: ")
             << op.getSource().getType() << " to " << op.getType();
    SmallVector<Value> registers;
    for (unsigned reg = 0, e = getNumRegisters(op.getType()); reg < e; ++reg)
      registers.push_back(adaptor.getSource()[map->applyFlat(reg)]);
    rewriter.replaceOpWithMultiple(op, {registers});
    return success();
  }
};

/// Ops whose result layout is inferred: the registers are unchanged.
template <typename Op>
struct SameRegistersLowering : ConvertOpToLLVMPattern<Op> {
  using ConvertOpToLLVMPattern<Op>::ConvertOpToLLVMPattern;
  using OneToNOpAdaptor = typename ConvertOpToLLVMPattern<Op>::OneToNOpAdaptor;

  LogicalResult
  matchAndRewrite(Op op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    rewriter.replaceOpWithMultiple(op, {adaptor.getSource()});
    return success();
  }
};

} // namespace

void tilewright::populateShapeToLLVM(const WarpTypeConverter &converter,
                                     RewritePatternSet &patterns) {
  patterns.add<RangeLowering, SplatLowering,
               SameRegistersLowering<tile::ExpandDimsOp>,
               SameRegistersLowering<tile::TransposeOp>,
               RegisterMapLowering<tile::BroadcastOp, broadcastRegisters>,
               RegisterMapLowering<tile::ReshapeOp, reshapeRegisters>>(
      converter);
}
