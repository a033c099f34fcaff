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
           << carried << " registers of a thread, which has " << limit
           << "; use smaller tiles or more warps";
  constexpr auto kRemark =
      remark::RemarkOpts::name("Registers").category("warp-check-registers");
  remark::missed(loop.getLoc(), kRemark)
      << remark::add("the tiles that this loop carries take {0} registers of a "
                     "thread, which has {1}: they are spilled to memory",
                     carried, limit)
      << remark::metric("Registers", carried) << remark::metric("Limit", limit);
  return success();
}

/// Assemblers refuse instructions of more sums than a thread has registers.
static LogicalResult check(warp::WgmmaOp product, int64_t most) {
  auto plan = getWgmmaPlan(product.getA(), product.getB(), product.getAcc());
  if (!plan || warp::hasRegistersFor(product, plan->columns / 2, most))
    return success();
  return product.emitError("each thread holds ")
         << plan->columns / 2
         << " sums of this product at once, for which it has too few "
            "registers; use smaller tiles or fewer warps";
}

namespace {
struct CheckRegisters : warp::impl::CheckRegistersBase<CheckRegisters> {
  using CheckRegistersBase::CheckRegistersBase;

  void runOnOperation() override {
    markAllAnalysesPreserved();
    const bool isAsked = refuse || getContext().getRemarkEngine();
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      const int64_t limit = warp::getRegisterLimit(function, most);
      WalkResult loops = function.walk([&](LoopLikeOpInterface loop) {
        return WalkResult(isAsked ? check(loop, limit, refuse) : success());
      });
      if (loops.wasInterrupted())
        return signalPassFailure();
      WalkResult products = function.walk([&](warp::WgmmaOp product) {
        return WalkResult(check(product, most));
      });
      if (products.wasInterrupted())
        return signalPassFailure();
    }
  }
};
} // namespace
