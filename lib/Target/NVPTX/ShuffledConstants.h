// Folds exchanges between the lanes of a warp whose operand is constant.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_SHUFFLEDCONSTANTS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_SHUFFLEDCONSTANTS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

/// Folds shuffles of constants, and idempotent lane reductions of constants.
/// LLVM leaves them to the assembler, and ptxas 13.0 miscompiles some of the
/// code that depends on them. For the maximum of `c - x` and another number,
/// with a `c` found to be constant late, it computes `x - c`.
struct ShuffledConstants : llvm::PassInfoMixin<ShuffledConstants> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_SHUFFLEDCONSTANTS_H
