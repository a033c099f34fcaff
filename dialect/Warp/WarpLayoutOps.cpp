#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/Matchers.h"
#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpLayoutOps.cpp.inc"

LogicalResult ConvertLayoutOp::verify() {
  LinearAttr from = getLinearAttr(getSource().getType());
  LinearAttr to = getLinearAttr(getType());
  if (!from || !to) // C1
    return emitOpError("needs a #warp.linear layout on source and result, got ")
           << getSource().getType() << " and " << getType();
  for (LayoutAxis axis : {LayoutAxis::Warp, LayoutAxis::Block}) {
    int64_t before = from.getLayout().getInSize(axis);
    int64_t after = to.getLayout().getInSize(axis);
    if (before != after) // C1
      return emitOpError("cannot move a tile from ")
             << before << " to " << after << " " << getAxisName(axis) << "s";
  }
  return success();
}

OpFoldResult ConvertLayoutOp::fold(FoldAdaptor adaptor) {
  if (getSource().getType() == getType())
    return getSource();
  if (auto inner = getSource().getDefiningOp<ConvertLayoutOp>()) {
    getSourceMutable().assign(inner.getSource());
    return getResult();
  }
  auto splat = dyn_cast_if_present<SplatElementsAttr>(adaptor.getSource());
  return splat ? splat.resizeSplat(cast<ShapedType>(getType()))
               : OpFoldResult();
}

/// Rematerialises a tile that every thread computes locally in the new layout.
template <typename OpT>
static LogicalResult remake(ConvertLayoutOp op, PatternRewriter &rewriter) {
  auto source = op.getSource().getDefiningOp<OpT>();
  if (!source)
    return rewriter.notifyMatchFailure(op, "source is not computed locally");
  rewriter.replaceOpWithNewOp<OpT>(op, op->getResultTypes(),
                                   source->getOperands(), source->getAttrs());
  return success();
}

void ConvertLayoutOp::getCanonicalizationPatterns(RewritePatternSet &patterns,
                                                  MLIRContext *) {
  patterns.add(remake<tile::SplatOp>);
  patterns.add(remake<tile::RangeOp>);
}
