// Splits constants and elementwise ops. Each piece of the result is computed
// from the same pieces of the operands.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "lib/Analysis/Layout/LayoutEdges.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace {

class SplitElementwise : public ConversionPattern {
public:
  SplitElementwise(const PieceConverter &pieces, MLIRContext *context)
      : ConversionPattern(pieces, MatchAnyOpTypeTag(), /*benefit=*/1, context),
        pieces(pieces) {}

  LogicalResult
  matchAndRewrite(Operation *op, ArrayRef<ValueRange> operands,
                  ConversionPatternRewriter &rewriter) const override {
    if (!isElementwise(op) || op->hasTrait<OpTrait::ConstantLike>())
      return rewriter.notifyMatchFailure(op, "not elementwise");
    SmallVector<Value> results;
    Type type = op->getResult(0).getType();
    for (auto [index, piece] : llvm::enumerate(pieces.getPieces(type))) {
      SmallVector<Value> inputs;
      for (ValueRange operand : operands)
        inputs.push_back(getPiece(operand, index));
      OperationState state(op->getLoc(), op->getName(), inputs,
                           getPieceType(type, piece),
                           getAttributes(op, piece.getShape()));
      state.propertiesAttr = op->getPropertiesAsAttribute();
      results.push_back(rewriter.create(state)->getResult(0));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  const PieceConverter &pieces;
};

struct SplitConstant : PiecePattern<arith::ConstantOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(arith::ConstantOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto splat = dyn_cast<SplatElementsAttr>(op.getValue());
    if (!splat)
      return rewriter.notifyMatchFailure(op, "not a splat");
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType()))
      results.push_back(arith::ConstantOp::create(
          rewriter, op.getLoc(),
          splat.resizeSplat(getPieceType(op.getType(), piece))));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tile_gpu::populateSplitElementwise(const PieceConverter &pieces,
                                        RewritePatternSet &patterns) {
  patterns.add<SplitElementwise, SplitConstant>(pieces, patterns.getContext());
}
