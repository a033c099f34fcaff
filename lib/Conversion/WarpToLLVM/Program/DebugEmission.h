// Code that ends a launch with a message.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Calls the driver's `__assertfail` with `message` and the line of `op`.
void emitAssertFailure(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                       llvm::StringRef message);

} // namespace tilewright
