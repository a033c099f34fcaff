#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/AxisInfo.h"
#include "lib/Transforms/Warp/Pipeline/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static bool isInnermost(Operation *loop) {
  return !loop->walk([&](LoopLikeOpInterface inner) {
                return inner == loop ? WalkResult::advance()
                                     : WalkResult::interrupt();
              })
              .wasInterrupted();
}

/// Emits a remark that a loop with loads to shared memory is not pipelined.
static void remarkUncounted(Operation *loop) {
  bool loadsTiles =
      loop->walk([](warp::AllocOp) { return WalkResult::interrupt(); })
          .wasInterrupted();
  if (loadsTiles)
    remark::missed(
        loop->getLoc(),
        remark::RemarkOpts::name("Pipelined").category("warp-pipeline-loops"))
        << remark::add("not pipelined: its trip count is not known before "
                       "it starts");
}

/// Keeps a tile in registers if threads store it only to read it back in the
/// same layout. Such a store exists for copies that were not made.
static void keepInRegisters(warp::AllocOp alloc) {
  Value tile = alloc.getSource();
  if (!tile || llvm::any_of(alloc->getUsers(), [&](Operation *user) {
        auto read = dyn_cast<warp::LocalLoadOp>(user);
        return !read || read.getStart() || read.getType() != tile.getType();
      }))
    return;
  for (Operation *user : llvm::make_early_inc_range(alloc->getUsers())) {
    user->getResult(0).replaceAllUsesWith(tile);
    user->erase();
  }
  alloc.erase();
}

namespace {
struct PipelineLoops : warp::impl::PipelineLoopsBase<PipelineLoops> {
  using PipelineLoopsBase::PipelineLoopsBase;

  void runOnOperation() override {
    if (numStages < 1) {
      getOperation().emitError("num-stages must be at least 1, got ")
          << numStages;
      return signalPassFailure();
    }
    SmallVector<scf::ForOp> loops;
    getOperation()->walk([&](LoopLikeOpInterface loop) {
      if (!isInnermost(loop) || warp::isExplicit(loop))
        return;
      if (auto counted = dyn_cast<scf::ForOp>(*loop))
        loops.push_back(counted);
      else
        remarkUncounted(loop);
    });
    SmallVector<warp::PipelinePlan, 0> plans;
    {
      AxisInfoAnalysis axes(getOperation());
      for (scf::ForOp loop : loops)
        if (auto plan = warp::planPipeline(loop, axes, {numStages, limit}))
          plans.push_back(std::move(*plan));
    }
    for (warp::PipelinePlan &plan : plans)
      warp::rotateLoop(plan);
    SmallVector<warp::AllocOp> left;
    getOperation()->walk([&](warp::AllocOp alloc) {
      if (alloc->getParentOfType<LoopLikeOpInterface>() &&
          !warp::isExplicit(alloc))
        left.push_back(alloc);
    });
    llvm::for_each(left, keepInRegisters);
  }
};
} // namespace
