// Reshapes of blocks in pieces.
//
// Where the sides that are cut stay as they are, each piece is reshaped on its
// own. Else elements change from piece to piece: a place in a piece of the
// result is computed back to one of the source, and gathered from the piece
// that has it.

#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

/// Whether each side that is no power of two is one of both shapes, with the
/// same number of elements in front of it.
static bool keepsCutDims(ArrayRef<int64_t> from, ArrayRef<int64_t> to) {
  auto find = [](ArrayRef<int64_t> shape) {
    SmallVector<std::pair<int64_t, int64_t>> found;
    int64_t before = 1;
    for (int64_t side : shape) {
      if (!llvm::isPowerOf2_64(side))
        found.push_back({before, side});
      before *= side;
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

/// Numbers of elements in row-major order.
struct Interval {
  int64_t first, last;
  bool meets(const Interval &other) const {
    return first <= other.last && other.first <= last;
  }
};

/// Writes the pieces of one reshape.
class PieceReshaper {
public:
  PieceReshaper(ImplicitLocOpBuilder &b, const PieceConverter &pieces,
                tile::ReshapeOp op, ValueRange sources)
      : b(b), from(op.getSource().getType().getShape()),
        to(cast<RankedTensorType>(op.getType()).getShape()),
        origins(pieces.getPieces(op.getSource().getType())) {
    for (Value source : sources)
      lines.push_back(flatten(b, source));
  }

  Value write(Type type, const Piece &piece);

private:
  Interval getInterval(const Piece &piece, ArrayRef<int64_t> shape) const;
  Value emitNumbers(const Piece &piece);
  SmallVector<Value> emitPlaces(Value numbers);
  Value pick(const Piece &origin, Value line, ArrayRef<Value> places);
  Value emitInside(const Piece &origin, ArrayRef<Value> places);

  ImplicitLocOpBuilder &b;
  ArrayRef<int64_t> from, to;
  SmallVector<Piece> origins;
  /// The pieces of the source, as tiles of rank 1.
  SmallVector<Value> lines;
};

} // namespace

Interval PieceReshaper::getInterval(const Piece &piece,
                                    ArrayRef<int64_t> shape) const {
  Interval interval{0, 0};
  for (auto [side, stride] : llvm::zip(piece.sides, getStrides(shape))) {
    interval.first += side.start * stride;
    interval.last += (side.start + side.held - 1) * stride;
  }
  return interval;
}

/// For each element of `piece`, as a line, its number in the whole result.
Value PieceReshaper::emitNumbers(const Piece &piece) {
  SmallVector<int64_t> shape = piece.getShape();
  Value numbers;
  for (auto [dim, stride] : llvm::enumerate(getStrides(to))) {
    Value index = emitIndexAlong(b, shape, dim, piece.sides[dim].start);
    Value part =
        arith::MulIOp::create(b, index, emitConstantLike(b, index, stride));
    numbers =
        numbers ? arith::AddIOp::create(b, numbers, part).getResult() : part;
  }
  return flatten(b, numbers);
}

/// The index along each side of the source of elements with these numbers.
SmallVector<Value> PieceReshaper::emitPlaces(Value numbers) {
  SmallVector<Value> places;
  for (auto [side, stride] : llvm::zip(from, getStrides(from))) {
    Value index = arith::DivUIOp::create(b, numbers,
                                         emitConstantLike(b, numbers, stride));
    places.push_back(
        arith::RemUIOp::create(b, index, emitConstantLike(b, index, side)));
  }
  return places;
}

Value PieceReshaper::pick(const Piece &origin, Value line,
                          ArrayRef<Value> places) {
  SmallVector<int64_t> shape = origin.getShape();
  Value number;
  for (auto [place, side, stride] :
       llvm::zip(places, origin.sides, getStrides(shape))) {
    Value index =
        arith::SubIOp::create(b, place, emitConstantLike(b, place, side.start));
    Value part =
        arith::MulIOp::create(b, index, emitConstantLike(b, index, stride));
    number = number ? arith::AddIOp::create(b, number, part).getResult() : part;
  }
  return tile::GatherOp::create(b, line, number, 0);
}

/// Whether `origin` has the elements at `places`, as far as its start tells:
/// pieces further on are asked later.
Value PieceReshaper::emitInside(const Piece &origin, ArrayRef<Value> places) {
  Value inside;
  for (auto [place, side] : llvm::zip(places, origin.sides)) {
    if (side.start == 0)
      continue;
    Value isBehind =
        arith::CmpIOp::create(b, arith::CmpIPredicate::sge, place,
                              emitConstantLike(b, place, side.start));
    inside = inside ? arith::AndIOp::create(b, inside, isBehind).getResult()
                    : isBehind;
  }
  return inside;
}

Value PieceReshaper::write(Type type, const Piece &piece) {
  SmallVector<Value> places = emitPlaces(emitNumbers(piece));
  const Interval wanted = getInterval(piece, to);
  Value result;
  for (auto [origin, line] : llvm::zip(origins, lines)) {
    if (!getInterval(origin, from).meets(wanted))
      continue;
    Value picked = pick(origin, line, places);
    Value inside = result ? emitInside(origin, places) : Value();
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
