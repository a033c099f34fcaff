#include "lib/Transforms/Warp/Passes.h"

#include "lib/Transforms/Warp/CheckRings/PathWalk.h"
#include "lib/Transforms/Warp/CheckRings/RoleOrder.h"
#include "lib/Transforms/Warp/CheckRings/RoleRules.h"

using namespace mlir;
using namespace tilewright;

namespace tilewright::warp {
#define GEN_PASS_DEF_CHECKRINGS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {
struct CheckRings : warp::impl::CheckRingsBase<CheckRings> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>())
      if (failed(check(function)))
        signalPassFailure();
  }

  static LogicalResult check(FunctionOpInterface function) {
    if (failed(warp::checkRoles(function)) ||
        failed(warp::PathWalk(function).run()))
      return failure();
    WalkResult order = function->walk([](warp::SpecializeOp roles) {
      return succeeded(warp::checkOrder(roles)) ? WalkResult::advance()
                                                : WalkResult::interrupt();
    });
    return failure(order.wasInterrupted());
  }
};
} // namespace
