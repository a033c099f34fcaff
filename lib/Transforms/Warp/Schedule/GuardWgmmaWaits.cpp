// The source of an explicit kernel places its own deferred waits. This code
// only ensures that no wgmma is in flight where control flow joins.

#include "lib/Transforms/Warp/Schedule/GuardWgmmaWaits.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Mma/InFlightAccumulators.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Schedule/LoopEntry.h"

#include "mlir/IR/PatternMatch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Puts `loop` into a branch that is taken if it runs any iteration. Its wgmmas
/// are then waited for before control flow joins. Otherwise ptxas assumes that
/// they may be in flight on the other path too. The branch yields the results
/// of `loop`.
static scf::IfOp guard(scf::ForOp loop, IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, loop.getNumResults(), rewriter);
  for (auto [old, result] : llvm::zip(loop.getResults(), branch.getResults()))
    rewriter.replaceAllUsesWith(old, result);
  rewriter.moveOpBefore(loop, branch.thenBlock(), branch.thenBlock()->end());
  return branch;
}

/// Returns the wait after `loop` that covers only accumulators which the loop
/// leaves in flight.
static WgmmaWaitOp findLastWait(scf::ForOp loop) {
  for (Value result : loop.getResults()) {
    if (!isInFlightAccumulator(result) || !result.hasOneUse())
      continue;
    auto wait = dyn_cast<WgmmaWaitOp>(*result.user_begin());
    if (wait && wait.getPendings() == 0 &&
        wait->getBlock() == loop->getBlock() &&
        llvm::all_of(wait.getAccumulators(),
                     [&](Value acc) { return acc.getDefiningOp() == loop; }))
      return wait;
  }
  return {};
}

/// Puts `loop` and `wait` into one branch.
static void guardWithWait(scf::ForOp loop, WgmmaWaitOp wait) {
  SmallVector<unsigned> indices;
  for (Value acc : wait.getAccumulators())
    indices.push_back(cast<OpResult>(acc).getResultNumber());
  IRRewriter rewriter(loop.getContext());
  scf::IfOp branch = guard(loop, rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results(loop.getResults()), accs, waited;
  for (unsigned index : indices) {
    accs.push_back(loop.getResult(index));
    waited.push_back(branch.getResult(index));
  }
  auto last = WgmmaWaitOp::create(rewriter, wait.getLoc(), TypeRange(accs),
                                  accs, /*pendings=*/0);
  for (auto [index, acc] : llvm::zip_equal(indices, last.getResults()))
    results[index] = acc;
  scf::YieldOp::create(rewriter, loop.getLoc(), results);
  rewriter.replaceOp(wait, waited);
}

void warp::guardExplicitWaits(ModuleOp module) {
  SmallVector<std::pair<scf::ForOp, WgmmaWaitOp>> guarded;
  module->walk([&](scf::ForOp loop) {
    if (!isExplicit(loop))
      return;
    if (WgmmaWaitOp wait = findLastWait(loop))
      guarded.push_back({loop, wait});
  });
  for (auto [loop, wait] : guarded)
    guardWithWait(loop, wait);
}
