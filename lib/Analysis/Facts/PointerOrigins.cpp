#include "lib/Analysis/Facts/PointerOrigins.h"

#include "dialect/Tile/TileOps.h"

using namespace mlir;
using namespace tilewright;

std::optional<PointerOrigin> tilewright::findOrigin(Value pointer) {
  unsigned loads = 0;
  while (Operation *op = pointer.getDefiningOp()) {
    if (isa<tile::LoadOp>(op))
      ++loads;
    else if (!isa<tile::AddPtrOp, tile::IntToPtrOp, tile::PtrToIntOp,
                  tile::BitcastOp, tile::SplatOp, tile::BroadcastOp,
                  tile::ReshapeOp, tile::ExpandDimsOp, tile::MakeDescriptorOp>(
                 op))
      return std::nullopt;
    pointer = op->getOperand(0);
  }
  auto argument = cast<BlockArgument>(pointer);
  if (!isa<tile::FuncOp>(argument.getOwner()->getParentOp()))
    return std::nullopt;
  return PointerOrigin{argument, loads};
}
