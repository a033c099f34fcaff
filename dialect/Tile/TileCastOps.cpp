#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileCastOps.cpp.inc"

OpFoldResult IntToPtrOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<PtrToIntOp>();
  return inner && inner.getSource().getType() == getType() ? inner.getSource()
                                                           : Value();
}

OpFoldResult PtrToIntOp::fold(FoldAdaptor) {
  auto inner = getSource().getDefiningOp<IntToPtrOp>();
  return inner ? inner.getSource() : Value();
}

OpFoldResult BitcastOp::fold(FoldAdaptor) {
  if (getSource().getType() == getType())
    return getSource();
  auto inner = getSource().getDefiningOp<BitcastOp>();
  if (!inner)
    return {};
  getSourceMutable().assign(inner.getSource());
  return getResult();
}
