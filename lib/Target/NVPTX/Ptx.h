// LLVM dialect to PTX.

#pragma once

#include "lib/Target/PhaseTimes.h"

#include "mlir/IR/BuiltinOps.h"

#include <string>

namespace tilewright {

struct PtxOptions {
  /// The GPU: sm_80, sm_90a, ...
  std::string arch = "sm_80";
  /// 10 * major + minor of the PTX ISA, as far as the assembler understands it;
  /// 0 takes 8.0, or the first one that has the GPU and all instructions.
  unsigned ptxVersion = 0;
  /// Contract a * b + c into one instruction with one rounding.
  bool fuseMulAdd = true;
  /// Also return the LLVM IR that PTX was made from.
  bool keepLlvmIr = false;
  /// Verify the LLVM IR.
  bool check = false;
  /// Where to note how long what took, or null.
  PhaseTimes *times = nullptr;
};

struct PtxResult {
  std::string ptx;
  std::string llvmIr;
  unsigned ptxVersion = 0;
};

/// Compiles a module of the LLVM and NVVM dialects. Whatever goes wrong is a
/// diagnostic; LLVM's own messages become ours.
mlir::FailureOr<PtxResult> emitPtx(mlir::ModuleOp module,
                                   const PtxOptions &options);

} // namespace tilewright
