// Where loads are made: what of LayoutAssignment asks about one load alone.

#include "lib/Analysis/Layout/LayoutAssignment.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/Interfaces/LoopLikeInterface.h"

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

bool LayoutAssignment::isAnchoredLoad(Operation *op) const {
  if (isa<tile::DescriptorLoadOp>(op) || rows.contains(op))
    return true;
  std::optional<MemoryAccess> access = MemoryAccess::of(op);
  if (!access)
    return false;
  if (isa<tile::AtomicRMWOp, tile::AtomicCASOp>(op))
    return true;
  if (!isa<tile::LoadOp>(op) || isOnlyExpanded(op->getResult(0)))
    return false;
  // A guess decides about operands of products, which go through shared memory
  // anyhow; elsewhere it is not worth an exchange.
  return accesses.isContiguous(*access) ||
         (accesses.hasNearestDim(*access) && feedsDotOperand(op->getResult(0)));
}

LinearAttr LayoutAssignment::getLoadLayout(Operation *op) const {
  if (auto load = dyn_cast<tile::DescriptorLoadOp>(op))
    return accesses.getBlock(cast<RankedTensorType>(load.getType()));
  MemoryAccess access = *MemoryAccess::of(op);
  return rows.contains(op) && !accesses.isContiguous(access)
             ? accesses.getDefault(
                   cast<RankedTensorType>(op->getResult(0).getType()))
             : accesses.getCoalesced(access);
}

/// Whether a loop around `op` holds products: what it loads is copied ahead, or
/// loaded an iteration before.
static bool overlapsDots(Operation *op) {
  auto loop = op->getParentOfType<LoopLikeOpInterface>();
  return loop && loop->walk([](Operation *inner) {
                       return isa<tile::DotOp, warp::WgmmaOp>(inner)
                                  ? WalkResult::interrupt()
                                  : WalkResult::advance();
                     })
                     .wasInterrupted();
}

bool LayoutAssignment::isLoadedByUsers(tile::LoadOp load,
                                       LinearAttr wanted) const {
  // What is worth no exchange: two elements of each thread at most.
  constexpr unsigned kFewBits = 1;
  std::optional<MemoryAccess> access = MemoryAccess::of(load);
  return access && isAnchored(load) && !load.getIsVolatile() &&
         !rows.contains(load) &&
         wanted.getLayout().countTellingBits(LayoutAxis::Register) <=
             kFewBits &&
         accesses.isGoodEnough(*access, wanted) && !overlapsDots(load);
}
