#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/AxisInfo.h"
#include "lib/Transforms/Warp/PipelinePlan.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_PIPELINELOOPS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static bool isInnermost(scf::ForOp loop) {
  return !loop.getBody()
              ->walk(
                  [](LoopLikeOpInterface) { return WalkResult::interrupt(); })
              .wasInterrupted();
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
    getOperation()->walk([&](scf::ForOp loop) {
      if (isInnermost(loop))
        loops.push_back(loop);
    });
    SmallVector<warp::PipelinePlan> plans;
    {
      AxisInfoAnalysis axes(getOperation());
      for (scf::ForOp loop : loops)
        if (auto plan = warp::planPipeline(loop, axes, {numStages, limit}))
          plans.push_back(std::move(*plan));
    }
    for (warp::PipelinePlan &plan : plans)
      warp::rotateLoop(plan);
  }
};
} // namespace
