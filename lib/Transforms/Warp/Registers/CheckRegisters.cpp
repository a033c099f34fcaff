#include "lib/Transforms/Warp/Passes.h"

#include "lib/Analysis/Mma/WgmmaPlans.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_CHECKREGISTERS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

static LogicalResult check(LoopLikeOpInterface loop, int64_t limit,
                           bool refuse) {
  limit = warp::getRegisterBudget(loop).value_or(limit);
  int64_t carried = warp::countCarried(loop);
  if (carried <= limit)
    return success();
  if (refuse)
    return loop.emitError("the tiles that this loop carries take ")
           << carried << " registers per thread, which has " << limit
           << "; use smaller tiles or more warps";
  constexpr auto kRemark =
      remark::RemarkOpts::name("Registers").category("warp-check-registers");
  remark::missed(loop.getLoc(), kRemark)
      << remark::add("the tiles that this loop carries take {0} registers per "
                     "thread, which has {1}: they are spilled to memory",
                     carried, limit)
      << remark::metric("Registers", carried) << remark::metric("Limit", limit);
  return success();
}

/// Checks that a thread has registers for the accumulators of `wgmma`;
/// assemblers reject others.
static LogicalResult check(warp::WgmmaOp wgmma, int64_t most) {
  auto plan = getWgmmaPlan(wgmma.getA(), wgmma.getB(), wgmma.getAcc());
  if (!plan || warp::hasRegistersFor(wgmma, plan->columns / 2, most))
    return success();
  return wgmma.emitError("each thread holds ")
         << plan->columns / 2
         << " accumulators of this wgmma at once, for which it has too few "
            "registers; use smaller tiles or fewer warps";
}

namespace {
struct CheckRegisters : warp::impl::CheckRegistersBase<CheckRegisters> {
  using CheckRegistersBase::CheckRegistersBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    const bool isRequested = refuse || getContext().getRemarkEngine();
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      const int64_t limit = warp::getRegisterLimit(function, most);
      WalkResult loops = function.walk([&](LoopLikeOpInterface loop) {
        return WalkResult(isRequested ? check(loop, limit, refuse) : success());
      });
      if (loops.wasInterrupted())
        return signalPassFailure();
      WalkResult wgmmas = function.walk(
          [&](warp::WgmmaOp wgmma) { return WalkResult(check(wgmma, most)); });
      if (wgmmas.wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
