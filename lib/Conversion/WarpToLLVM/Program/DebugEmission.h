// What ends a launch with a message.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Calls `__assertfail` of the driver, for `op` and its line.
void emitAssertFailure(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                       llvm::StringRef message);

} // namespace tilewright
