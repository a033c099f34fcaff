#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/IR/Builders.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_INSERTPROXYFENCES
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Whether `op` writes a tile that a wgmma reads: a store, or the wait for
/// copies of cp.async to a slot.
static bool fillsOperand(Operation *op) {
  Operation *memory = nullptr;
  if (auto alloc = dyn_cast<warp::AllocOp>(op); alloc && alloc.getSource())
    memory = alloc;
  else if (auto store = dyn_cast<warp::LocalStoreOp>(op))
    memory = store.getMemory().getDefiningOp();
  else if (auto wait = dyn_cast<warp::RingWaitOp>(op); wait && wait.getIndex())
    memory = op; // copies of cp.async
  return memory &&
         llvm::any_of(getTileUsers(memory), llvm::IsaPred<warp::WgmmaOp>);
}

/// Whether `release` releases a slot that threads have read. The arrival alone
/// does not order the copies that refill the slot after such reads.
static bool endsReads(warp::RingReleaseOp release) {
  return llvm::any_of(getSlotWaits(release.getSlot()),
                      [](warp::RingWaitOp wait) {
                        return wait.getRing().getType().getCompletion() ==
                                   warp::Completion::Transactions &&
                               llvm::any_of(getTileUsers(wait),
                                            llvm::IsaPred<warp::LocalLoadOp>);
                      });
}

/// Whether `op` is a wgmma, or control flow may leave the block at `op`.
static bool leaves(Operation *op) {
  return op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<warp::WgmmaOp>(op);
}

/// Whether stores before `op` need a fence before it.
static bool endsStores(Operation *op) { return synchronizes(op) || leaves(op); }

/// Whether the release of a slot of `ring` may move after `op`:
///   1. `op` does not wait for other roles, which may need the slot.
///   2. Slots of the ring are still released in order.
///   3. `op` does not compute on tiles, which would delay the next copies
///      longer than a fence takes.
static bool mayPass(Operation *op, Value ring) {
  if (auto release = dyn_cast<warp::RingReleaseOp>(op))
    return llvm::none_of(
        getSlotWaits(release.getSlot()),
        [&](warp::RingWaitOp wait) { return wait.getRing() == ring; });
  if (isa<warp::AllocOp, warp::LocalLoadOp, warp::LocalStoreOp, warp::BarrierOp,
          warp::WgmmaWaitOp>(op))
    return true;
  return isMemoryEffectFree(op) && op->getNumRegions() == 0 &&
         llvm::none_of(op->getResultTypes(), llvm::IsaPred<RankedTensorType>);
}

/// Returns the next op after `op` for which `isSought` holds, or null if
/// `isEnd` holds for an earlier one.
static Operation *findNext(Operation *op,
                           llvm::function_ref<bool(Operation *)> isSought,
                           llvm::function_ref<bool(Operation *)> isEnd) {
  for (op = op->getNextNode(); op && !isEnd(op); op = op->getNextNode())
    if (isSought(op))
      return op;
  return nullptr;
}

namespace {
/// Inserts as few fences as possible into one block, without its regions. See
/// benchmarks/notes/proxy-fences.md for their cost.
class BlockFences {
public:
  explicit BlockFences(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

private:
  void visit(Operation *op) {
    if (lastFill && endsStores(op) && !mayFenceLater(op))
      fence();
    if (auto release = dyn_cast<warp::RingReleaseOp>(op);
        release && endsReads(release))
      fenceRelease(release);
    if (fillsOperand(op)) {
      lastFill = op;
      isFilledSince = true;
    }
  }

  /// Whether the fence of earlier stores may come after `op`, a barrier,
  /// because more stores follow before a wgmma.
  bool mayFenceLater(Operation *op) const {
    return !leaves(op) && (releases.empty() || !isFilledSince) &&
           findNext(op, fillsOperand, leaves);
  }

  void fence() {
    OpBuilder builder(lastFill->getContext());
    builder.setInsertionPointAfter(lastFill);
    Operation *last = warp::ProxyFenceOp::create(builder, lastFill->getLoc());
    for (warp::RingReleaseOp release : releases) {
      release->moveAfter(last);
      last = release;
    }
    releases.clear();
    lastFill = nullptr;
  }

  /// Defers the release of a slot that threads have read to the fence of stores
  /// that follow soon. Otherwise inserts a fence before it.
  void fenceRelease(warp::RingReleaseOp release) {
    Value ring = getSlotWaits(release.getSlot()).front().getRing();
    if (findNext(release, fillsOperand,
                 [&](Operation *op) { return !mayPass(op, ring); })) {
      releases.push_back(release);
      isFilledSince = false;
      return;
    }
    OpBuilder builder(release);
    warp::ProxyFenceOp::create(builder, release.getLoc());
  }

  /// The last store without a fence.
  Operation *lastFill = nullptr;
  /// The releases deferred to the fence of the next store, and whether that
  /// store has been visited.
  SmallVector<warp::RingReleaseOp> releases;
  bool isFilledSince = false;
};

struct InsertProxyFences
    : warp::impl::InsertProxyFencesBase<InsertProxyFences> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { BlockFences fences(*block); });
  }
};
} // namespace
