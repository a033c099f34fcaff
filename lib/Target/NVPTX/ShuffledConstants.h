// What lanes of a warp take from each other where all have the same constant.

#pragma once

#include "llvm/IR/PassManager.h"

namespace tilewright {

/// Shuffles of a constant give it, and so do reductions of lanes that a number
/// is the result of with itself; what follows is computed now. LLVM leaves them
/// to the assembler, and of those ptxas 13.0 makes wrong code: of the larger of
/// `c - x` and another number, where `c` turns out to be constant late, it
/// computes `x - c`.
struct ShuffledConstants : llvm::PassInfoMixin<ShuffledConstants> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright
