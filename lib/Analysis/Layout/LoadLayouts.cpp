// The part of LayoutAssignment that decides about single loads.

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
  // An estimated stride suffices for dot operands, which go through shared
  // memory in any case. Elsewhere it is not worth a conversion.
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

/// Whether a loop around `op` has dots. Its loads are then prefetched: copied
/// asynchronously, or issued an iteration early.
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
  // At most two elements a thread, which are not worth a conversion.
  constexpr unsigned kFewBits = 1;
  std::optional<MemoryAccess> access = MemoryAccess::of(load);
  return access && isAnchored(load) && !load.getIsVolatile() &&
         !rows.contains(load) &&
         wanted.getLayout().countTellingBits(LayoutAxis::Register) <=
             kFewBits &&
         accesses.isGoodEnough(*access, wanted) && !overlapsDots(load);
}
