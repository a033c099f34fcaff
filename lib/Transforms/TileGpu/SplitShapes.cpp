// Splits ops that create tiles or change their shape dimension by dimension.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

namespace {

struct SplitRange : PiecePattern<tile::RangeOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::RangeOp op, OpAdaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    const int64_t first = static_cast<int32_t>(op.getStart());
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType()))
      results.push_back(emitIndexAlong(b, piece.getShape(), 0,
                                       first + piece.segments[0].start));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitSplat : PiecePattern<tile::SplatOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::SplatOp op, OpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType()))
      results.push_back(tile::SplatOp::create(rewriter, op.getLoc(),
                                              getPieceType(op.getType(), piece),
                                              adaptor.getSource()));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

/// A dimension of size 1 is one segment, so the pieces keep their order.
struct SplitExpandDims : PiecePattern<tile::ExpandDimsOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::ExpandDimsOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (Value source : adaptor.getSource())
      results.push_back(tile::ExpandDimsOp::create(rewriter, op.getLoc(),
                                                   source, op.getAxis()));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitBroadcast : PiecePattern<tile::BroadcastOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::BroadcastOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    auto source = cast<RankedTensorType>(op.getSource().getType());
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType())) {
      SmallVector<size_t> from(piece.indices);
      for (auto [index, size] : llvm::zip(from, source.getShape()))
        index = size == 1 ? 0 : index;
      Value part = pieces.getAt(op.getSource(), adaptor.getSource(), from);
      results.push_back(tile::BroadcastOp::create(
          rewriter, op.getLoc(), getPieceType(op.getType(), piece), part));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

struct SplitTranspose : PiecePattern<tile::TransposeOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::TransposeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    SmallVector<Value> results;
    for (const Piece &piece : pieces.getPieces(op.getType())) {
      SmallVector<size_t> from(piece.indices);
      for (auto [index, dim] : llvm::zip(piece.indices, op.getOrder()))
        from[dim] = index;
      results.push_back(tile::TransposeOp::create(
          rewriter, op.getLoc(),
          pieces.getAt(op.getSource(), adaptor.getSource(), from),
          op.getOrder()));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tile_gpu::populateSplitShapes(const PieceConverter &pieces,
                                   RewritePatternSet &patterns) {
  patterns.add<SplitRange, SplitSplat, SplitExpandDims, SplitBroadcast,
               SplitTranspose>(pieces, patterns.getContext());
}
