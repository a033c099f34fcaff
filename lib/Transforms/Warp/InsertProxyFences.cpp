#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory.h"

#include "mlir/IR/Builders.h"

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

/// Whether a fence must stand before `op` for the stores in front of it.
static bool endsStores(Operation *op) {
  return synchronizes(op) || op->getNumRegions() != 0 ||
         op->hasTrait<OpTrait::IsTerminator>() || isa<warp::WgmmaOp>(op);
}

/// Fences the stores of one block, those of its regions apart.
static void insertFences(Block &block) {
  Operation *lastStore = nullptr;
  for (Operation &op : block) {
    if (lastStore && endsStores(&op)) {
      OpBuilder builder(op.getContext());
      builder.setInsertionPointAfter(lastStore);
      warp::ProxyFenceOp::create(builder, lastStore->getLoc());
      lastStore = nullptr;
    }
    if (fillsOperand(&op))
      lastStore = &op;
    if (auto release = dyn_cast<warp::RingReleaseOp>(op);
        release && endsReads(release)) {
      OpBuilder builder(release);
      warp::ProxyFenceOp::create(builder, release.getLoc());
    }
  }
}

namespace {
struct InsertProxyFences
    : warp::impl::InsertProxyFencesBase<InsertProxyFences> {
  void runOnOperation() override {
    getOperation()->walk([](Block *block) { insertFences(*block); });
  }
};
} // namespace
