#include "lib/Transforms/Cpu/Passes.h"

#include "lib/Conversion/LoopToBranches.h"

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
    if (failed(lowerToBranches(getOperation(), CheckedSteps::AllButOne)))
      signalPassFailure();
  }
};
} // namespace
