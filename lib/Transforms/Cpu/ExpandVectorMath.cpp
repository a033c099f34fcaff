#include "lib/Transforms/Cpu/Passes.h"

#include "mlir/Dialect/Math/Transforms/Passes.h"
#include "mlir/Transforms/GreedyPatternRewriteDriver.h"

namespace tilewright::cpu {
#define GEN_PASS_DEF_EXPANDVECTORMATH
#include "lib/Transforms/Cpu/Passes.h.inc"
} // namespace tilewright::cpu

using namespace mlir;

namespace tilewright::cpu {

namespace {
struct ExpandVectorMathPass : impl::ExpandVectorMathBase<ExpandVectorMathPass> {
  using ExpandVectorMathBase::ExpandVectorMathBase;

  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateMathPolynomialApproximationPatterns(patterns,
                                                [](StringRef) { return true; });
    if (failed(applyPatternsGreedily(getOperation(), std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace

} // namespace tilewright::cpu
