#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileIndexOps.cpp.inc"

//===-- gather ------------------------------------------------------------===//

static bool agreeExceptAlong(int64_t axis, ArrayRef<int64_t> source,
                             ArrayRef<int64_t> indices) {
  if (source.size() != indices.size())
    return false;
  for (auto [dim, from, to] : llvm::enumerate(source, indices))
    if (int64_t(dim) != axis && from != to)
      return false;
  return true;
}

/// The result has the layout of the indices: each thread gathers its own.
LogicalResult GatherOp::inferReturnTypes(MLIRContext *,
                                         std::optional<Location> loc,
                                         Adaptor adaptor,
                                         SmallVectorImpl<Type> &types) {
  auto source = dyn_cast<RankedTensorType>(adaptor.getSource().getType());
  auto indices = dyn_cast<RankedTensorType>(adaptor.getIndices().getType());
  if (!source || !indices || !adaptor.getAxisAttr())
    return emitOptionalError(loc, "gathers from a tile along an axis, got ",
                             adaptor.getSource().getType(), " and ",
                             adaptor.getIndices().getType());
  int64_t axis = static_cast<int32_t>(adaptor.getAxis());
  if (axis < 0 || axis >= source.getRank()) // C1
    return emitOptionalError(loc, "axis ", axis, " is outside of [0, ",
                             source.getRank(), ")");
  if (!agreeExceptAlong(axis, source.getShape(), indices.getShape())) // C2
    return emitOptionalError(loc, "source and indices may differ along axis ",
                             axis, " only, got ", source, " and ", indices);
  types.push_back(RankedTensorType::get(
      indices.getShape(), source.getElementType(), indices.getEncoding()));
  return success();
}

/// All elements of a splat are equal.
OpFoldResult GatherOp::fold(FoldAdaptor adaptor) {
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource());
  return splat ? splat.resizeSplat(cast<ShapedType>(getType()))
               : OpFoldResult();
}

//===-- histogram ---------------------------------------------------------===//

LogicalResult HistogramOp::verify() {
  if (getType().getRank() != 1) // C2
    return emitOpError("counts into a tile of rank 1, got ") << getType();
  return success();
}
