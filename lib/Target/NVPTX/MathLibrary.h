// The mathematics library: the functions of libclc that MathToLLVM calls, as
// bitcode inside of ours, so that nothing need be installed where it is used.

#pragma once

#include "mlir/IR/Location.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Defines in `module` the functions of the library that it declares, and those
/// they call. Everything taken is internal to the module.
mlir::LogicalResult linkMathLibrary(llvm::Module &module, mlir::Location loc);

} // namespace tilewright
