#include "lib/Transforms/Cpu/Passes.h"

#include "lib/Conversion/LoopToBranches.h"

#include "mlir/Conversion/SCFToControlFlow/SCFToControlFlow.h"
#include "mlir/Transforms/DialectConversion.h"

namespace tilewright::cpu {
#define GEN_PASS_DEF_LOWERCONTROLFLOW
#include "lib/Transforms/Cpu/Passes.h.inc"
} // namespace tilewright::cpu

using namespace mlir;
using namespace tilewright;

namespace {
struct LowerControlFlow
    : tilewright::cpu::impl::LowerControlFlowBase<LowerControlFlow> {
  void runOnOperation() override {
    RewritePatternSet patterns(&getContext());
    populateSCFToControlFlowConversionPatterns(patterns);
    populateLoopToBranches(patterns, CheckedSteps::AllButOne);
    ConversionTarget legality(getContext());
    legality.addIllegalDialect<scf::SCFDialect>();
    legality.markUnknownOpDynamicallyLegal([](Operation *) { return true; });
    if (failed(applyPartialConversion(getOperation(), legality,
                                      std::move(patterns))))
      signalPassFailure();
  }
};
} // namespace
