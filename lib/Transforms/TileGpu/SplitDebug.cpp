// Splits assertions and prints. Neither sees padding.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace {

struct SplitAssert : PiecePattern<tile::AssertOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::AssertOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    for (auto [piece, condition] :
         llvm::zip(pieces.getPieces(op.getCondition().getType()),
                   adaptor.getCondition())) {
      Value holds =
          emitReplaced(b, emitHeld(b, piece), condition, b.getBoolAttr(true));
      tile::AssertOp::create(b, holds, op.getMessage());
    }
    rewriter.eraseOp(op);
    return success();
  }
};

/// Emits one print per piece of an operand.
struct SplitPrint : PiecePattern<tile::PrintOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::PrintOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    for (auto [value, parts, isSigned] :
         llvm::zip(op.getValues(), adaptor.getValues(), op.getIsSigned())) {
      if (!needsCut(value.getType())) {
        print(b, op, parts.front(), isSigned, nullptr);
        continue;
      }
      for (auto [piece, part] :
           llvm::zip(pieces.getPieces(value.getType()), parts))
        print(b, op, part, isSigned, &piece);
    }
    rewriter.eraseOp(op);
    return success();
  }

private:
  /// Prints one operand, or one piece of it if `piece` is not null.
  static void print(ImplicitLocOpBuilder &b, tile::PrintOp op, Value value,
                    bool isSigned, const Piece *piece) {
    DenseI64ArrayAttr origin, extent;
    if (piece) {
      origin = b.getDenseI64ArrayAttr(
          llvm::map_to_vector(piece->segments, [](const Segment &segment) {
            return segment.start;
          }));
      extent = b.getDenseI64ArrayAttr(
          llvm::map_to_vector(piece->segments, [](const Segment &segment) {
            return segment.held;
          }));
    }
    tile::PrintOp::create(b, op.getPrefixAttr(), value, op.getHexAttr(),
                          b.getDenseBoolArrayAttr(isSigned), origin, extent);
  }
};

} // namespace

void tile_gpu::populateSplitDebug(const PieceConverter &pieces,
                                  RewritePatternSet &patterns) {
  patterns.add<SplitAssert, SplitPrint>(pieces, patterns.getContext());
}
