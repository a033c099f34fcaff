// The mathematics library: the libclc functions that MathToLLVM calls. Their
// bitcode is embedded in our library, so that users need not install libclc.

#ifndef TILEWRIGHT_LIB_TARGET_NVPTX_MATHLIBRARY_H
#define TILEWRIGHT_LIB_TARGET_NVPTX_MATHLIBRARY_H

#include "mlir/IR/Location.h"

namespace llvm {
class Module;
} // namespace llvm

namespace tilewright {

/// Defines the library functions that `module` declares, and their callees. All
/// of them become internal to the module.
mlir::LogicalResult linkMathLibrary(llvm::Module &module, mlir::Location loc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TARGET_NVPTX_MATHLIBRARY_H
