// Loads and stores of shared memory. Booleans take one byte there.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDACCESS_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDACCESS_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Stores one element if `predicate` (null: always) holds.
void emitSharedStore(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                     mlir::Value element, mlir::Value predicate);

/// Loads `count` adjacent elements, a power of two, with as few accesses as
/// possible. The address is aligned to their total size, up to 16 bytes.
llvm::SmallVector<mlir::Value> emitSharedLoad(mlir::ImplicitLocOpBuilder &b,
                                              mlir::Value address,
                                              mlir::Type element,
                                              unsigned count);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_SHAREDACCESS_H
