// Code that ends a launch with a message.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PROGRAM_DEBUGEMISSION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PROGRAM_DEBUGEMISSION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Calls the driver's `__assertfail` with `message` and the line of `op`.
void emitAssertFailure(mlir::ImplicitLocOpBuilder &b, mlir::Operation *op,
                       llvm::StringRef message);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_PROGRAM_DEBUGEMISSION_H
