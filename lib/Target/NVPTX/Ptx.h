// LLVM dialect to PTX.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_PTX_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_PTX_H

#include "lib/Target/PhaseTimes.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tilewright {

struct PtxOptions {
  /// The GPU: sm_80, sm_90a, ...
  std::string arch = "sm_80";
  /// 10 * major + minor of the newest PTX ISA that the assembler reads. 0
  /// selects 8.0, or the first version that has the GPU and all instructions.
  unsigned ptxVersion = 0;
  /// Contract a * b + c into one instruction with one rounding.
  bool fuseMulAdd = true;
  /// Also return the optimised LLVM IR.
  bool keepLlvmIr = false;
  /// Verify the LLVM IR.
  bool check = false;
  /// Receives the times of the phases; may be null.
  PhaseTimes *times = nullptr;
};

struct PtxResult {
  std::string ptx;
  std::string llvmIr;
  unsigned ptxVersion = 0;
};

/// Compiles a module of the LLVM and NVVM dialects to PTX. Every failure, also
/// one of LLVM's own, is reported as a diagnostic.
mlir::FailureOr<PtxResult> emitPtx(mlir::ModuleOp module,
                                   const PtxOptions &options);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_PTX_H
