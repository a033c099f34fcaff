// Converts the LLVM dialect to an optimised LLVM module for NVIDIA GPUs.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_LLVMIR_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_LLVMIR_H

#include "lib/Target/NVPTX/GpuArch.h"

#include "mlir/IR/BuiltinOps.h"

#include <memory>

namespace llvm {
class LLVMContext;
class Module;
class TargetMachine;
} // namespace llvm

namespace tilewright {

/// Returns the code generator for `arch` that writes PTX of `ptxVersion`. The
/// thread owns it until it asks for another one. Emits an error at `loc` if
/// LLVM has none.
mlir::FailureOr<llvm::TargetMachine *>
getNvptxMachine(const GpuArch &arch, unsigned ptxVersion, mlir::Location loc);

/// Translates `module`, of the LLVM and NVVM dialects, sets the target and
/// links the mathematics library. With `fuseMulAdd`, a * b + c in the module's
/// own functions may be rounded once. With `check`, LLVM verifies the result.
/// Returns null after an error.
std::unique_ptr<llvm::Module> translateToLlvm(mlir::ModuleOp module,
                                              llvm::LLVMContext &context,
                                              llvm::TargetMachine &machine,
                                              bool fuseMulAdd, bool check);

/// Runs the optimisations that pay off on straight-line kernel code and its
/// loops, in some milliseconds.
void optimize(llvm::Module &module, llvm::TargetMachine &machine);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_LLVMIR_H
