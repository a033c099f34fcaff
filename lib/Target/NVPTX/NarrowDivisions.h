// Divisions of 64-bit integers whose operands fit in 32 bits.

#pragma once

#include "llvm/IR/PassManager.h"

namespace tilewright {

/// A division of 64 bits is a function that the assembler calls, of 32 bits a
/// dozen instructions. LLVM proves enough of what programs compute from their
/// places, which many kernels widen first.
struct NarrowDivisions : llvm::PassInfoMixin<NarrowDivisions> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright
