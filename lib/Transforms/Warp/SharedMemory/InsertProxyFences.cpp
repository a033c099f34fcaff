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

/// Whether `op` leaves something in a tile that a product reads: a store, or
/// the wait for copies to a slot.
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

/// Whether `release` gives back a slot that threads read themselves. The copies
/// that fill it next are not ordered behind such reads by the arrival alone.
static bool endsReads(warp::RingReleaseOp release) {
  return llvm::any_of(getSlotWaits(release.getSlot()),
                      [](warp::RingWaitOp wait) {
                        return wait.getRing().getType().getCompletion() ==
                                   warp::Completion::Transactions &&
                               llvm::any_of(getTileUsers(wait),
                                            llvm::IsaPred<warp::LocalLoadOp>);
                      });
}

/// Whether products or other blocks may follow `op` at once.
static bool leaves(Operation *op) {
  return op->getNumRegions() != 0 || op->hasTrait<OpTrait::IsTerminator>() ||
         isa<warp::WgmmaOp>(op);
}

/// Whether a fence must stand before `op` for the stores in front of it.
static bool endsStores(Operation *op) { return synchronizes(op) || leaves(op); }

/// Whether a release of a slot of `ring` may as well come behind `op`: nothing
/// there waits for other roles, slots go back in turn, and no work on tiles
/// keeps the slot from its next copies longer than a fence takes.
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

/// The next operation behind `op` for which `isSought` holds, unless `isEnd`
/// holds for one before it.
static Operation *findNext(Operation *op,
                           llvm::function_ref<bool(Operation *)> isSought,
                           llvm::function_ref<bool(Operation *)> isEnd) {
  for (op = op->getNextNode(); op && !isEnd(op); op = op->getNextNode())
    if (isSought(op))
      return op;
  return nullptr;
}

namespace {
/// Puts as few fences into a block as will do, those of its regions apart: a
/// fence takes 35 cycles, behind copies of cp.async 105.
class BlockFences {
public:
  explicit BlockFences(Block &block) {
    for (Operation &op : llvm::make_early_inc_range(block))
      visit(&op);
  }

private:
  void visit(Operation *op) {
    if (lastFill && endsStores(op) && !mayComeLater(op))
      fence();
    if (auto release = dyn_cast<warp::RingReleaseOp>(op);
        release && endsReads(release))
      giveBack(release);
    if (fillsOperand(op)) {
      lastFill = op;
      isFilledSince = true;
    }
  }

  /// Whether the fence of what has been stored may stand behind `op`, a
  /// barrier: more is stored before a product reads any of it.
  bool mayComeLater(Operation *op) const {
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

  /// A slot that threads have read goes back behind the fence of stores that
  /// follow soon, else behind one of its own.
  void giveBack(warp::RingReleaseOp release) {
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
  /// What goes back behind the fence of the next store, and whether that store
  /// has been passed.
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
