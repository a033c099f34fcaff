// The LLVM dialect as an optimised LLVM module for NVIDIA GPUs.

#pragma once

#include "lib/Target/NVPTX/GpuArch.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright {

/// The code generator for `arch` writing PTX of `ptxVersion`, which is this
/// thread's until it asks for another one; an error at `loc` if LLVM has none.
mlir::FailureOr<llvm::TargetMachine *>
getNvptxMachine(const GpuArch &arch, unsigned ptxVersion, mlir::Location loc);

/// Translates `module`, of the LLVM and NVVM dialects, sets the target and
/// links the mathematics library. With `fuseMulAdd`, a * b + c in the module's
/// own functions may be rounded once; with `check` LLVM verifies the result.
/// Null with an error where that fails.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module,
                                              llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine,
                                              bool fuseMulAdd, bool check);

/// Optimises for the code generator: what pays on straight-line kernel code and
/// their loops, in some milliseconds.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilewright
