// The launch recipe of a kernel, in the runtime's encoding.

#ifndef TILEWRIGHT_COMPILER_TARGETS_RECIPEOFKERNEL_H
#define TILEWRIGHT_COMPILER_TARGETS_RECIPEOFKERNEL_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// Returns the numbers that runtime/cuda/LaunchRecipe.h describes; empty for a
/// kernel that needs no recipe.
llvm::json::Array getLaunchRecipe(mlir::FunctionOpInterface kernel);

} // namespace tilewright

#endif // TILEWRIGHT_COMPILER_TARGETS_RECIPEOFKERNEL_H
