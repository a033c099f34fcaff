// Splits reshapes of blocks.
//
// Where the cut dimensions stay as they are, each piece is reshaped on its own.
// Otherwise elements move between pieces. Each element of a result piece is
// mapped back to its source coordinates and gathered from the piece that holds
// them.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

/// Whether both shapes have the same dimensions that are not powers of two,
/// each after the same number of elements.
static bool keepsCutDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto find = [](ArrayRef<int64_t> shape) {
    SmallVector<std::pair<int64_t, int64_t>> found;
    int64_t before = 1;
    for (int64_t size : shape) {
      if (!llvm::isPowerOf2_64(size))
        found.push_back({before, size});
      before *= size;
    }
    return found;
  };
  return find(from) == find(to);
}

static Value emitConstantLike(ImplicitLocOpBuilder &b, Value like,
                              int64_t value) {
  auto type = cast<RankedTensorType>(like.getType());
  return arith::ConstantOp::create(
      b, DenseElementsAttr::get(type, b.getI32IntegerAttr(value)));
}

static Value flatten(ImplicitLocOpBuilder &b, Value tile) {
  auto type = cast<RankedTensorType>(tile.getType());
  return tile::ReshapeOp::create(b, type.clone({type.getNumElements()}), tile);
}

static SmallVector<int64_t> getStrides(ArrayRef<int64_t> shape) {
  SmallVector<int64_t> strides(shape.size(), 1);
  for (size_t dim = shape.size(); dim-- > 1;)
    strides[dim - 1] = strides[dim] * shape[dim];
  return strides;
}

namespace {

/// A range of linear (row-major) element indices.
struct Interval {
  int64_t first, last;
  bool overlaps(const Interval &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Emits the pieces of one reshape.
class PieceReshaper {
public:
  PieceReshaper(ImplicitLocOpBuilder &b, const PieceConverter &pieces,
                tile::ReshapeOp op, ValueRange sources)
      : b(b), from(op.getSource().getType().getShape()),
        to(cast<RankedTensorType>(op.getType()).getShape()),
        origins(pieces.getPieces(op.getSource().getType())) {
    for (Value source : sources)
      flatPieces.push_back(flatten(b, source));
  }

  Value write(Type type, const Piece &piece);

private:
  Interval getInterval(const Piece &piece, ArrayRef<int64_t> shape) const;
  Value emitLinearIndices(const Piece &piece);
  SmallVector<Value> emitCoords(Value linear);
  Value gatherFrom(const Piece &origin, Value flatPiece,
                   ArrayRef<Value> coords);
  Value emitContains(const Piece &origin, ArrayRef<Value> coords);

  ImplicitLocOpBuilder &b;
  ArrayRef<int64_t> from, to;
  SmallVector<Piece> origins;
  /// The pieces of the source, flattened to rank 1.
  SmallVector<Value> flatPieces;
};

} // namespace

Interval PieceReshaper::getInterval(const Piece &piece,
                                    ArrayRef<int64_t> shape) const {
  Interval interval{0, 0};
  for (auto [segment, stride] : llvm::zip(piece.segments, getStrides(shape))) {
    interval.first += segment.start * stride;
    interval.last += (segment.start + segment.held - 1) * stride;
  }
  return interval;
}

/// Emits the linear index in the whole result of each element of `piece`, as a
/// tile of rank 1.
Value PieceReshaper::emitLinearIndices(const Piece &piece) {
  SmallVector<int64_t> shape = piece.getShape();
  Value linear;
  for (auto [dim, stride] : llvm::enumerate(getStrides(to))) {
    Value index = emitIndexAlong(b, shape, dim, piece.segments[dim].start);
    Value part =
        arith::MulIOp::create(b, index, emitConstantLike(b, index, stride));
    linear = linear ? arith::AddIOp::create(b, linear, part).getResult() : part;
  }
  return flatten(b, linear);
}

/// Emits the source coordinates of the elements with these linear indices, one
/// tile per dimension.
SmallVector<Value> PieceReshaper::emitCoords(Value linear) {
  SmallVector<Value> coords;
  for (auto [size, stride] : llvm::zip(from, getStrides(from))) {
    Value index =
        arith::DivUIOp::create(b, linear, emitConstantLike(b, linear, stride));
    coords.push_back(
        arith::RemUIOp::create(b, index, emitConstantLike(b, index, size)));
  }
  return coords;
}

Value PieceReshaper::gatherFrom(const Piece &origin, Value flatPiece,
                                ArrayRef<Value> coords) {
  SmallVector<int64_t> shape = origin.getShape();
  Value linear;
  for (auto [coord, segment, stride] :
       llvm::zip(coords, origin.segments, getStrides(shape))) {
    Value index = arith::SubIOp::create(
        b, coord, emitConstantLike(b, coord, segment.start));
    Value part =
        arith::MulIOp::create(b, index, emitConstantLike(b, index, stride));
    linear = linear ? arith::AddIOp::create(b, linear, part).getResult() : part;
  }
  return tile::GatherOp::create(b, flatPiece, linear, 0);
}

/// Emits whether `origin` holds the elements at `coords`, as far as its start
/// tells. Pieces with a greater start are tested later.
Value PieceReshaper::emitContains(const Piece &origin, ArrayRef<Value> coords) {
  Value inside;
  for (auto [coord, segment] : llvm::zip(coords, origin.segments)) {
    if (segment.start == 0)
      continue;
    Value isPastStart =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, coord,
                              emitConstantLike(b, coord, segment.start));
    inside = inside ? arith::AndIOp::create(b, inside, isPastStart).getResult()
                    : isPastStart;
  }
  return inside;
}

Value PieceReshaper::write(Type type, const Piece &piece) {
  SmallVector<Value> coords = emitCoords(emitLinearIndices(piece));
  const Interval wanted = getInterval(piece, to);
  Value result;
  for (auto [origin, flatPiece] : llvm::zip(origins, flatPieces)) {
    if (!getInterval(origin, from).overlaps(wanted))
      continue;
    Value picked = gatherFrom(origin, flatPiece, coords);
    Value inside = result ? emitContains(origin, coords) : Value();
    result =
        inside ? arith::SelectOp::create(b, inside, picked, result).getResult()
               : picked;
  }
  return tile::ReshapeOp::create(b, getPieceType(type, piece), result);
}

namespace {

struct SplitReshape : PiecePattern<tile::ReshapeOp> {
  using PiecePattern::PiecePattern;

  LogicalResult
  matchAndRewrite(tile::ReshapeOp op, OneToNOpAdaptor adaptor,
                  ConversionPatternRewriter &rewriter) const override {
    ImplicitLocOpBuilder b(op.getLoc(), rewriter);
    auto type = cast<RankedTensorType>(op.getType());
    SmallVector<Piece> parts = pieces.getPieces(type);
    SmallVector<Value> results;
    if (keepsCutDims(op.getSource().getType().getShape(), type.getShape())) {
      for (auto [piece, source] : llvm::zip(parts, adaptor.getSource()))
        results.push_back(
            tile::ReshapeOp::create(b, getPieceType(type, piece), source));
    } else {
      PieceReshaper reshaper(b, pieces, op, adaptor.getSource());
      for (const Piece &piece : parts)
        results.push_back(reshaper.write(type, piece));
    }
    rewriter.replaceOpWithMultiple(op, {results});
    return success();
  }
};

} // namespace

void tile_gpu::populateSplitReshape(const PieceConverter &pieces,
                                    RewritePatternSet &patterns) {
  patterns.add<SplitReshape>(pieces, patterns.getContext());
}
