// Divisions of 64-bit integers whose operands fit in 32 bits.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_NARROWDIVISIONS_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_NARROWDIVISIONS_H

#include "llvm/IR/PassManager.h"

namespace tilewright {

/// Narrows 64-bit divisions whose operands fit in 32 bits. The assembler
/// implements a 64-bit division as a function call, a 32-bit one as a dozen
/// instructions. LLVM knows ranges of many values that programs compute from
/// their ids, which kernels often widen first.
struct NarrowDivisions : llvm::PassInfoMixin<NarrowDivisions> {
  llvm::PreservedAnalyses run(llvm::Function &function,
                              llvm::FunctionAnalysisManager &analyses);
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_NARROWDIVISIONS_H
