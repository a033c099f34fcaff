#include "lib/Analysis/Target/TargetOptions.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;

LogicalResult tilewright::checkNumWarps(ModuleOp module, unsigned numWarps) {
  if (numWarps <= 32 && llvm::isPowerOf2_32(numWarps))
    return success();
  return emitError(module.getLoc(),
                   "num_warps must be a power of two from 1 to 32, got ")
         << numWarps;
}

LogicalResult tilewright::checkComputeCapability(ModuleOp module,
                                                 unsigned computeCapability) {
  if (computeCapability >= 80)
    return success();
  return emitError(module.getLoc(),
                   "the NVIDIA back end needs a compute capability of 8.0 or "
                   "more, got ")
         << computeCapability / 10 << "." << computeCapability % 10;
}
