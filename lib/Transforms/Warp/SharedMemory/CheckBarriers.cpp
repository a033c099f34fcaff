#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/ScratchMemory.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/DenseSet.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_CHECKBARRIERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Appends the first ops of the successor regions of `op`, and the next op if
/// the parent is a successor.
template <typename Branch>
static void appendSuccessors(Operation *op, Branch getSuccessors,
                             SmallVectorImpl<Operation *> &next) {
  SmallVector<RegionSuccessor> successors;
  getSuccessors(successors);
  for (RegionSuccessor &successor : successors) {
    if (Region *region = successor.getSuccessor())
      next.push_back(&region->front().front());
    else if (op->getNextNode())
      next.push_back(op->getNextNode());
  }
}

/// Returns the ops that may run right after `op`.
static SmallVector<Operation *> getNext(Operation *op) {
  SmallVector<Operation *> next;
  if (auto branch = dyn_cast<RegionBranchOpInterface>(op)) {
    appendSuccessors(
        op,
        [&](auto &list) {
          branch.getSuccessorRegions(RegionBranchPoint::parent(), list);
        },
        next);
  } else if (auto end = dyn_cast<RegionBranchTerminatorOpInterface>(op)) {
    auto parent = dyn_cast<RegionBranchOpInterface>(op->getParentOp());
    if (parent)
      appendSuccessors(
          parent,
          [&](auto &list) {
            parent.getSuccessorRegions(RegionBranchPoint(end), list);
          },
          next);
  } else if (op->getNextNode()) {
    next.push_back(op->getNextNode());
  }
  return next;
}

/// Returns an op that conflicts with the pending accesses of `start` and is
/// reachable from it without a barrier; null if there is none.
static Operation *findRace(Operation *start) {
  // The pending accesses before and after a release on the path.
  SmallVector<SharedUse> pending[2] = {getUsesAfter(start), {}};
  SmallVector<std::pair<Operation *, unsigned>> open;
  auto go = [&](Operation *from, unsigned released) {
    for (Operation *next : getNext(from))
      open.push_back({next, released});
  };
  go(start, 0);
  llvm::DenseSet<std::pair<Operation *, unsigned>> seen;
  while (!open.empty()) {
    auto [op, released] = open.pop_back_val();
    if (!seen.insert({op, released}).second || isa<warp::BarrierOp>(op) ||
        beginsWithBarrier(op))
      continue;
    for (const SharedUse &access : getSharedUses(op))
      for (const SharedUse &earlier : pending[released])
        if (access.conflictsWith(earlier))
          return op;
    if (synchronizes(op))
      continue;
    if (isa<warp::RingReleaseOp>(op) && !released) {
      pending[1] = pending[0];
      applyRelease(op, pending[1]);
      released = 1;
    }
    go(op, released);
  }
  return nullptr;
}

namespace {
struct CheckBarriers : warp::impl::CheckBarriersBase<CheckBarriers> {
  void runOnOperation() override {
    getOperation()->walk([&](Operation *op) {
      if (getUsesAfter(op).empty())
        return;
      if (Operation *other = findRace(op)) {
        auto error = other->emitError(
            "accesses shared memory that another warp may be using");
        error.attachNote(op->getLoc())
            << "no barrier separates it from this access";
        signalPassFailure();
      }
    });
  }
};
} // namespace
