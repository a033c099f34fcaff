#include "dialect/Tile/TileLayoutInterface.h"
#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileShapeOps.cpp.inc"

/// Folds a shape op on a splat constant to a splat of the result's shape.
static OpFoldResult foldSplat(Attribute source, Type result) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(source);
  return splat ? splat.resizeSplat(cast<ShapedType>(result)) : OpFoldResult();
}

//===-- range -------------------------------------------------------------===//

LogicalResult RangeOp::verify() {
  int64_t start = static_cast<int32_t>(getStart()),
          end = static_cast<int32_t>(getEnd());
  if (start >= end) // C1
    return emitOpError("needs start < end, got ") << start << " and " << end;
  RankedTensorType type = cast<RankedTensorType>(getType());
  if (type.getRank() != 1 || type.getDimSize(0) != end - start) // C2
    return emitOpError("from ") << start << " to " << end << " is a tile of "
                                << end - start << " elements, got " << type;
  return success();
}

OpFoldResult RangeOp::fold(FoldAdaptor) {
  if (cast<RankedTensorType>(getType()).getNumElements() != 1)
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()),
                                APInt(32, getStart()));
}

//===-- splat -------------------------------------------------------------===//

OpFoldResult SplatOp::fold(FoldAdaptor adaptor) {
  Attribute source = adaptor.getSource();
  if (!isa_and_present<IntegerAttr, FloatAttr>(source))
    return {};
  return SplatElementsAttr::get(cast<ShapedType>(getType()), source);
}

//===-- expand_dims -------------------------------------------------------===//

LogicalResult ExpandDimsOp::inferReturnTypes(MLIRContext *,
                                             std::optional<Location> loc,
                                             Adaptor adaptor,
                                             SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!source || !adaptor.getAxisAttr())
    return emitOptionalError(loc, "expands a tile at an axis, got ",
                             adaptor.getSource().getType());
  int64_t axis = static_cast<int32_t>(adaptor.getAxis());
  if (axis < 0 || axis > source.getRank()) // C1
    return emitOptionalError(loc, "axis ", axis, " is outside of [0, ",
                             source.getRank(), "]");
  SmallVector<int64_t> shape(source.getShape());
  shape.insert(shape.begin() + axis, 1);
  Attribute encoding;
  if (auto *layouts = getLayoutInterface(source)) {
    FailureOr<Attribute> inferred = layouts->inferExpandDims(source, axis);
    if (failed(inferred))
      return emitOptionalError(loc, "no layout follows from ", source);
    encoding = *inferred;
  }
  types.push_back(
      RankedTensorType::get(shape, source.getElementType(), encoding));
  return success();
}

OpFoldResult ExpandDimsOp::fold(FoldAdaptor adaptor) {
  return foldSplat(adaptor.getSource(), getType());
}

//===-- broadcast ---------------------------------------------------------===//

LogicalResult BroadcastOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getRank() != result.getRank()) // C1
    return emitOpError("keeps the rank, got ") << source << " and " << result;
  for (auto [axis, from, to] :
       llvm::enumerate(source.getShape(), result.getShape()))
    if (from != 1 && from != to) // C2
      return emitOpError("cannot stretch dimension ")
             << axis << " of size " << from << " to " << to;
  auto *layouts = getLayoutInterface(result);
  if (layouts && !layouts->isBroadcast(source, result))
    return emitOpError("moves elements between threads: ")
           << source << " to " << result;
  return success();
}

OpFoldResult BroadcastOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  return foldSplat(adaptor.getSource(), getType());
}

//===-- reshape -----------------------------------------------------------===//

LogicalResult ReshapeOp::verify() {
  auto source = cast<RankedTensorType>(getSource().getType());
  auto result = cast<RankedTensorType>(getType());
  if (source.getNumElements() != result.getNumElements()) // C1
    return emitOpError("keeps the number of elements, got ")
           << source.getNumElements() << " and " << result.getNumElements();
  auto *layouts = getLayoutInterface(result);
  if (layouts && !layouts->isReshape(source, result))
    return emitOpError("moves elements between threads: ")
           << source << " to " << result;
  return success();
}

OpFoldResult ReshapeOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  // With a layout the intermediate step may be what makes the two reshapes
  // free, so only tiles without layouts are folded.
  if (auto inner = getSource().getDefiningOp<ReshapeOp>();
      inner && !cast<RankedTensorType>(getType()).getEncoding()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  return foldSplat(adaptor.getSource(), getType());
}

/// Returns the dimensions of size 1 that `to` has in addition to `from`, or
/// nothing if the shapes differ otherwise.
static std::optional<SmallVector<int32_t>> findAddedDims(ArrayRef<int64_t> from,
                                                         ArrayRef<int64_t> to) {
  SmallVector<int32_t> added;
  for (auto [index, size] : llvm::enumerate(to)) {
    if (!from.empty() && size == from.front())
      from = from.drop_front();
    else if (size == 1)
      added.push_back(index);
    else
      return std::nullopt;
  }
  if (!from.empty() || added.empty())
    return std::nullopt;
  return added;
}

LogicalResult ReshapeOp::canonicalize(ReshapeOp op, PatternRewriter &rewriter) {
  auto source = cast<RankedTensorType>(op.getSource().getType());
  auto result = cast<RankedTensorType>(op.getType());
  auto added = findAddedDims(source.getShape(), result.getShape());
  if (source.getEncoding() || !added)
    return failure();
  Value tile = op.getSource();
  for (int32_t axis : *added)
    tile = ExpandDimsOp::create(rewriter, op.getLoc(), tile, axis);
  rewriter.replaceOp(op, tile);
  return success();
}

//===-- transpose ---------------------------------------------------------===//

LogicalResult TransposeOp::inferReturnTypes(MLIRContext *,
                                            std::optional<Location> loc,
                                            Adaptor adaptor,
                                            SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  if (!source || !adaptor.getOrderAttr())
    return emitOptionalError(loc, "transposes a tile by an order, got ",
                             adaptor.getSource().getType());
  ArrayRef<int32_t> order = adaptor.getOrder();
  SmallVector<int32_t> sorted(order);
  llvm::sort(sorted);
  if (!llvm::equal(sorted, llvm::seq<int32_t>(0, source.getRank()))) // C1
    return emitOptionalError(loc, "order must be a permutation of the ",
                             source.getRank(), " dimensions");
  SmallVector<int64_t> shape;
  for (int32_t dim : order)
    shape.push_back(source.getDimSize(dim));
  Attribute encoding;
  if (auto *layouts = getLayoutInterface(source)) {
    FailureOr<Attribute> inferred = layouts->inferTranspose(source, order);
    if (failed(inferred))
      return emitOptionalError(loc, "no layout follows from ", source);
    encoding = *inferred;
  }
  types.push_back(
      RankedTensorType::get(shape, source.getElementType(), encoding));
  return success();
}

OpFoldResult TransposeOp::fold(FoldAdaptor adaptor) {
  ArrayRef<int32_t> order = getOrder();
  if (llvm::equal(order, llvm::seq<int32_t>(0, order.size())))
    return getSource();
  auto inner = getSource().getDefiningOp<TransposeOp>();
  if (!inner)
    return foldSplat(adaptor.getSource(), getType());
  SmallVector<int32_t> composed;
  for (int32_t dim : order)
    composed.push_back(inner.getOrder()[dim]);
  setOrder(composed);
  getSourceMutable().assign(inner.getSource());
  return getResult();
}
