#include "lib/Transforms/Warp/Passes.h"

#include "lib/Transforms/Warp/RegisterUse.h"

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

namespace {
struct CheckRegisters : warp::impl::CheckRegistersBase<CheckRegisters> {
  using CheckRegistersBase::CheckRegistersBase;

  void runOnOperation() override {
    if (!refuse && !getContext().getRemarkEngine())
      return;
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      const int64_t limit = warp::getRegisterLimit(function, most);
      WalkResult result = function.walk([&](LoopLikeOpInterface loop) {
        return WalkResult(check(loop, limit, refuse));
      });
      if (result.wasInterrupted())
        return signalPassFailure();
    }
    markAllAnalysesPreserved();
  }
};
} // namespace
