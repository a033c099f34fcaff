// Products: a piece of the result is the sum of the products of a row of pieces
// with a column of them.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace {

struct SplitDot : PiecePattern<tile::DotOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::DotOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getA().getType());
    const unsigned row = type.getRank() - 2, column = type.getRank() - 1;
    SmallVector<Value> results;
    for (auto [piece, start] :
         llvm::zip(pieces.getPieces(op.getType()), adaptor.getAcc())) {
      SmallVector<size_t> left(piece.place), right(piece.place);
      Value sum = start;
      for (size_t k = 0; k < pieces.countSegments(type.getDimSize(column));
           ++k) {
        left[column] = right[row] = k;
        sum =
            tile::DotOp::create(b, sum.getType(),
                                getOperand(b, op.getA(), adaptor.getA(), left,
                                           /*contracted=*/column),
                                getOperand(b, op.getB(), adaptor.getB(), right,
                                           /*contracted=*/row),
                                sum, op.getPrecision());
      }
      results.push_back(sum);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// The piece at `place` with zeros in its padding along the contracted side.
  /// In both operands: zero times what stands in the other could be NaN.
  Value getOperand(ImplicitLocOpBuilder &b, Value tile, ValueRange parts,
                   ArrayRef<size_t> place, unsigned contracted) const {
    Value part = pieces.getAt(tile, parts, place);
    Value held = emitHeldAlong(b, pieces.getPieceAt(tile, place), contracted);
    TypedAttr zero = b.getZeroAttr(getElementTypeOrSelf(tile.getType()));
    return emitReplaced(b, held, part, zero);
  }
};

} // namespace

void tile_gpu::populateSplitDots(const PieceConverter &pieces,
                                 RewritePatternSet &patterns) {
  patterns.add<SplitDot>(pieces, patterns.getContext());
}
