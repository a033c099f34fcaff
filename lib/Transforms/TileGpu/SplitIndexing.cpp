// Splits ops that select elements by index, and functions of elements, which
// must not see padding.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

static Value emitTileOf(ImplicitLocOpBuilder &b, Value like, int64_t value) {
  auto type = cast<RankedTensorType>(like.getType());
  auto number = b.getIntegerAttr(type.getElementType(), value);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(type, number));
}

static Value subtract(ImplicitLocOpBuilder &b, Value tile, int64_t value) {
  return value == 0
             ? tile
             : arith::SubIOp::create(b, tile, emitTileOf(b, tile, value));
}

//===----------------------------------------------------------------------===//
// gather
//===----------------------------------------------------------------------===//

namespace {

/// Each index selects from the last piece that starts at or before it.
struct SplitGather : PiecePattern<tile::GatherOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::GatherOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Value> results;
    for (auto [piece, indices] :
         llvm::zip(pieces.getPieces(op.getType()), adaptor.getIndices()))
      results.push_back(
          gather(b, op, adaptor.getSource(), piece.indices, indices));
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }

private:
  Value gather(ImplicitLocOpBuilder &b, tile::GatherOp op, ValueRange parts,
               ArrayRef<size_t> coords, Value indices) const {
    const unsigned axis = op.getAxis();
    auto source = cast<RankedTensorType>(op.getSource().getType());
    SmallVector<size_t> from(coords);
    Value result;
    for (size_t i = 0; i < pieces.countSegments(source.getDimSize(axis)); ++i) {
      from[axis] = i;
      const int64_t start =
          pieces.getPieceAt(op.getSource(), from).segments[axis].start;
      Value picked =
          tile::GatherOp::create(b, pieces.getAt(op.getSource(), parts, from),
                                 subtract(b, indices, start), axis);
      if (!result) {
        result = picked;
        continue;
      }
      Value isPastStart = arith::CmpIOp::create(
          b, arith::CmpIPredicate::sge, indices, emitTileOf(b, indices, start));
      result = arith::SelectOp::create(b, isPastStart, picked, result);
    }
    return result;
  }
};

//===----------------------------------------------------------------------===//
// histogram
//===----------------------------------------------------------------------===//

/// Each piece of the bins counts the elements of all pieces.
struct SplitHistogram : PiecePattern<tile::HistogramOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::HistogramOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<Piece> sources = pieces.getPieces(op.getSource().getType());
    SmallVector<Value> masks;
    for (auto [index, piece] : llvm::enumerate(sources))
      masks.push_back(emitMask(
          b, op.getMask() ? adaptor.getMask()[index] : Value(), piece));
    SmallVector<Value> results;
    for (const Piece &bins : pieces.getPieces(op.getType())) {
      Value counts;
      for (auto [source, mask] : llvm::zip(adaptor.getSource(), masks)) {
        Value some = tile::HistogramOp::create(
            b, getPieceType(op.getType(), bins),
            subtract(b, source, bins.segments[0].start), mask);
        counts =
            counts ? arith::AddIOp::create(b, counts, some).getResult() : some;
      }
      results.push_back(counts);
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

//===----------------------------------------------------------------------===//
// Functions and assembly
//===----------------------------------------------------------------------===//

/// Fills the padding of `tile` with the last element of each dimension. A
/// function that might not terminate for other values, or assembly with side
/// effects, then sees an element once more.
static Value emitRepeated(ImplicitLocOpBuilder &b, Value tile,
                          const Piece &piece) {
  if (!isa<RankedTensorType>(tile.getType()))
    return tile;
  for (auto [dim, segment] : llvm::enumerate(piece.segments)) {
    if (!segment.isPadded())
      continue;
    Value index = emitIndexAlong(b, piece.getShape(), dim, 0);
    index = arith::MinSIOp::create(b, index,
                                   emitTileOf(b, index, segment.held - 1));
    tile = tile::GatherOp::create(b, tile, index, dim);
  }
  return tile;
}

namespace {

/// A map, assembly, or a scan along a dimension that is not cut. All operands
/// and results have one shape.
template <typename Op> struct SplitFunction : PiecePattern<Op> {
  using PiecePattern<Op>::PiecePattern;

  LogicalResult matchAndRewrite(
      Op op, typename Op::template GenericAdaptor<ArrayRef<ValueRange>> adaptor,
      ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    SmallVector<SmallVector<Value>> results(op->getNumResults());
    Type like = op->getResultTypes().front();
    for (auto [index, piece] : llvm::enumerate(this->pieces.getPieces(like))) {
      SmallVector<Value> operands;
      for (ValueRange parts : adaptor.getOperands())
        operands.push_back(emitRepeated(b, getPiece(parts, index), piece));
      SmallVector<Type> types;
      for (Type type : op->getResultTypes())
        types.push_back(getPieceType(type, piece));
      Operation *part = create(b, op, operands, types, piece);
      for (auto [result, value] : llvm::zip(results, part->getResults()))
        result.push_back(value);
    }
    rewriter.replaceOpWithMultiple(op, std::move(results));
    return success();
  }

private:
  static Operation *create(ImplicitLocOpBuilder &b, Op op,
                           ArrayRef<Value> operands, ArrayRef<Type> types,
                           const Piece &piece) {
    OperationState state(op.getLoc(), op->getName(), operands, types,
                         getAttributes(op, piece.getShape()));
    state.propertiesAttr = op->getPropertiesAsAttribute();
    for (Region &region : op->getRegions()) {
      IRMapping mapping;
      region.cloneInto(state.addRegion(), mapping);
    }
    return b.create(state);
  }
};

} // namespace

void tile_gpu::populateSplitIndexing(const PieceConverter &pieces,
                                     RewritePatternSet &patterns) {
  patterns.add<SplitGather, SplitHistogram, SplitFunction<tile::MapOp>,
               SplitFunction<tile::ScanOp>, SplitFunction<tile::InlineAsmOp>>(
      pieces, patterns.getContext());
}
