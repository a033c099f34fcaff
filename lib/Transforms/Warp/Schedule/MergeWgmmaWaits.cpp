#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"

#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_MERGEWGMMAWAITS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// The next wait for all products in the block of `wait`, if what stands in
/// between needs none of the sums and does nothing but start other products.
static WgmmaWaitOp findNext(WgmmaWaitOp wait) {
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    bool needsSum = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == wait;
    });
    if (needsSum || op->getNumRegions() != 0)
      return {};
    if (auto next = dyn_cast<WgmmaWaitOp>(op))
      return next.getPendings() == 0 ? next : WgmmaWaitOp();
    if (!isa<WgmmaOp>(op) && !isMemoryEffectFree(op))
      return {};
  }
  return {};
}

/// Waits for the sums of both where the second one stands.
static void gather(WgmmaWaitOp wait, WgmmaWaitOp next, RewriterBase &b) {
  SmallVector<Value> sums(wait.getAccumulators());
  llvm::append_range(sums, next.getAccumulators());
  b.setInsertionPoint(next);
  auto both = WgmmaWaitOp::create(b, wait.getLoc(), TypeRange(ValueRange(sums)),
                                  sums, /*pendings=*/0);
  auto results = both.getResults();
  b.replaceOp(wait, results.take_front(wait.getNumResults()));
  b.replaceOp(next, results.take_back(next.getNumResults()));
}

namespace {
struct MergeWgmmaWaits : warp::impl::MergeWgmmaWaitsBase<MergeWgmmaWaits> {
  void runOnOperation() override {
    SmallVector<WgmmaWaitOp> waits;
    getOperation()->walk([&](WgmmaWaitOp wait) {
      if (wait.getPendings() == 0 && !isExplicit(wait))
        waits.push_back(wait);
    });
    IRRewriter rewriter(&getContext());
    // From the last on: what a wait is gathered into has gathered its own.
    for (WgmmaWaitOp wait : llvm::reverse(waits))
      if (WgmmaWaitOp next = findNext(wait))
        gather(wait, next, rewriter);
  }
};
} // namespace
