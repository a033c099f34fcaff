#include "lib/Transforms/TileGpu/SplitBlocks.h"

#include "mlir/Dialect/Arith/IR/Arith.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;
using namespace tilewright::tile_gpu;

PieceConverter::PieceConverter(const BlockCut &cut) : cut(cut) {
  addConversion([](Type type) { return type; });
  addConversion(
      [&](RankedTensorType type,
          SmallVectorImpl<Type> &results) -> std::optional<LogicalResult> {
        for (const Piece &piece : getPieces(type))
          results.push_back(getPieceType(type, piece));
        return success();
      });
}

Value PieceConverter::getAt(Value tile, ValueRange parts,
                            ArrayRef<size_t> coords) const {
  auto type = cast<RankedTensorType>(tile.getType());
  return parts[cut.getNumber(type.getShape(), coords)];
}

Piece PieceConverter::getPieceAt(Value tile, ArrayRef<size_t> coords) const {
  auto type = cast<RankedTensorType>(tile.getType());
  return getPieces(type)[cut.getNumber(type.getShape(), coords)];
}

RankedTensorType tile_gpu::getPieceType(Type type, const Piece &piece) {
  return RankedTensorType::get(piece.getShape(), getElementTypeOrSelf(type));
}

Value tile_gpu::getPiece(ValueRange pieces, size_t index) {
  return pieces[pieces.size() == 1 ? 0 : index];
}

//===----------------------------------------------------------------------===//
// Indices and masks
//===----------------------------------------------------------------------===//

/// Broadcasts a tile of rank 1 along `dim` to `shape`.
static Value spread(ImplicitLocOpBuilder &b, Value line,
                    ArrayRef<int64_t> shape, unsigned dim) {
  for (unsigned axis = 0; axis < shape.size(); ++axis)
    if (axis != dim)
      line = tile::ExpandDimsOp::create(b, line, axis);
  auto type = cast<RankedTensorType>(line.getType());
  if (type.getShape() == shape)
    return line;
  return tile::BroadcastOp::create(b, type.clone(shape), line);
}

static Value emitSplat(ImplicitLocOpBuilder &b, Type type, int64_t value) {
  auto tile = cast<RankedTensorType>(type);
  auto number = b.getIntegerAttr(tile.getElementType(), value);
  return arith::ConstantOp::create(b, DenseElementsAttr::get(tile, number));
}

static Value emitLine(ImplicitLocOpBuilder &b, int64_t start, int64_t size) {
  auto type = RankedTensorType::get({size}, b.getI32Type());
  // `tile.range` can not count past INT32_MAX, which padding may reach.
  if (start + size <= INT32_MAX)
    return tile::RangeOp::create(b, type, start, start + size);
  Value line = tile::RangeOp::create(b, type, 0, size);
  return arith::AddIOp::create(b, line, emitSplat(b, type, start));
}

Value tile_gpu::emitIndexAlong(ImplicitLocOpBuilder &b, ArrayRef<int64_t> shape,
                               unsigned dim, int64_t start) {
  return spread(b, emitLine(b, start, shape[dim]), shape, dim);
}

Value tile_gpu::emitHeldAlong(ImplicitLocOpBuilder &b, const Piece &piece,
                              unsigned dim) {
  const Segment &segment = piece.segments[dim];
  if (!segment.isPadded())
    return {};
  Value line = emitLine(b, 0, segment.size);
  Value held =
      arith::CmpIOp::create(b, arith::CmpIPredicate::slt, line,
                            emitSplat(b, line.getType(), segment.held));
  return spread(b, held, piece.getShape(), dim);
}

static Value emitAnd(ImplicitLocOpBuilder &b, Value lhs, Value rhs) {
  if (!lhs || !rhs)
    return lhs ? lhs : rhs;
  return arith::AndIOp::create(b, lhs, rhs);
}

Value tile_gpu::emitHeld(ImplicitLocOpBuilder &b, const Piece &piece) {
  Value held;
  for (unsigned dim = 0; dim < piece.segments.size(); ++dim)
    held = emitAnd(b, held, emitHeldAlong(b, piece, dim));
  return held;
}

Value tile_gpu::emitMask(ImplicitLocOpBuilder &b, Value mask,
                         const Piece &piece) {
  return emitAnd(b, mask, emitHeld(b, piece));
}

Value tile_gpu::emitReplaced(ImplicitLocOpBuilder &b, Value held, Value tile,
                             TypedAttr value) {
  if (!held)
    return tile;
  auto type = cast<RankedTensorType>(tile.getType());
  Value other =
      arith::ConstantOp::create(b, DenseElementsAttr::get(type, value));
  return arith::SelectOp::create(b, held, tile, other);
}

//===----------------------------------------------------------------------===//
// Attributes
//===----------------------------------------------------------------------===//

/// Clamps a promise to a part of `shape`. A group is at most as long as the
/// part. Parts start at multiples of their size, so divisibility up to that
/// size still holds.
static Attribute getOfPart(DenseI32ArrayAttr promise, ArrayRef<int64_t> shape) {
  SmallVector<int32_t> values(promise.asArrayRef());
  for (auto [value, size] : llvm::zip(values, shape))
    value = std::min<int64_t>(value, size);
  return DenseI32ArrayAttr::get(promise.getContext(), values);
}

SmallVector<NamedAttribute> tile_gpu::getAttributes(Operation *op,
                                                    ArrayRef<int64_t> shape) {
  SmallVector<NamedAttribute> attributes(op->getDiscardableAttrs());
  for (NamedAttribute &attribute : attributes)
    if (auto promise = dyn_cast<DenseI32ArrayAttr>(attribute.getValue()))
      attribute.setValue(getOfPart(promise, shape));
  return attributes;
}
