#include "lib/Transforms/Warp/Passes.h"

#include "lib/Transforms/Warp/CheckRings/PathWalk.h"

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
      if (failed(warp::PathWalk(function).run()))
        signalPassFailure();
  }
};
} // namespace
