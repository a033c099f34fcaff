// What the host adds to a launch, as the runtime reads it.

#pragma once

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/Support/JSON.h"

namespace tilewright {

/// The numbers that runtime/cuda/LaunchRecipe.h describes; none for a kernel
/// that is launched as it is.
llvm::json::Array getLaunchRecipe(mlir::FunctionOpInterface kernel);

} // namespace tilewright
