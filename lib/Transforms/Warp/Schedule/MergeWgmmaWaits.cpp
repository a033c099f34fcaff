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

/// Returns the next wait for all wgmmas in the block of `wait`. Ops in between
/// use no accumulator of `wait` and have no effects, except that they may start
/// other wgmmas.
static WgmmaWaitOp findNext(WgmmaWaitOp wait) {
  for (Operation *op = wait->getNextNode(); op; op = op->getNextNode()) {
    bool needsAcc = llvm::any_of(op->getOperands(), [&](Value operand) {
      return operand.getDefiningOp() == wait;
    });
    if (needsAcc || op->getNumRegions() != 0)
      return {};
    if (auto next = dyn_cast<WgmmaWaitOp>(op))
      return next.getPendings() == 0 ? next : WgmmaWaitOp();
    if (!isa<WgmmaOp>(op) && !isMemoryEffectFree(op))
      return {};
  }
  return {};
}

/// Replaces both waits by one at `next`.
static void merge(WgmmaWaitOp wait, WgmmaWaitOp next, RewriterBase &b) {
  SmallVector<Value> accs(wait.getAccumulators());
  llvm::append_range(accs, next.getAccumulators());
  b.setInsertionPoint(next);
  auto both = WgmmaWaitOp::create(b, wait.getLoc(), TypeRange(ValueRange(accs)),
                                  accs, /*pendings=*/0);
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
    // From last to first: `next` has already absorbed its own successor.
    for (WgmmaWaitOp wait : llvm::reverse(waits))
      if (WgmmaWaitOp next = findNext(wait))
        merge(wait, next, rewriter);
  }
};
} // namespace
