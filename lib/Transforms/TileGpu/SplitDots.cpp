// Splits dots. Each piece of the result accumulates the dots of a row of pieces
// of A with a column of pieces of B.

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
    for (auto [piece, init] :
         llvm::zip(pieces.getPieces(op.getType()), adaptor.getAcc())) {
      SmallVector<size_t> left(piece.indices), right(piece.indices);
      Value acc = init;
      for (size_t k = 0; k < pieces.countSegments(type.getDimSize(column));
           ++k) {
        left[column] = right[row] = k;
        acc =
            tile::DotOp::create(b, acc.getType(),
                                getOperand(b, op.getA(), adaptor.getA(), left,
                                           /*contracted=*/column),
                                getOperand(b, op.getB(), adaptor.getB(), right,
                                           /*contracted=*/row),
                                acc, op.getPrecision());
      }
      results.push_back(acc);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  /// Returns the piece at `coords` with zeros in its padding along the
  /// contracted dimension. Both operands need them, because zero times the
  /// padding of the other could be NaN.
  Value getOperand(ImplicitLocOpBuilder &b, Value tile, ValueRange parts,
                   ArrayRef<size_t> coords, unsigned contracted) const {
    Value part = pieces.getAt(tile, parts, coords);
    Value held = emitHeldAlong(b, pieces.getPieceAt(tile, coords), contracted);
    TypedAttr zero = b.getZeroAttr(getElementTypeOrSelf(tile.getType()));
    return emitReplaced(b, held, part, zero);
  }
};

} // namespace

void tile_gpu::populateSplitDots(const PieceConverter &pieces,
                                 RewritePatternSet &patterns) {
  patterns.add<SplitDot>(pieces, patterns.getContext());
}
