// Loads and stores of shared memory. Booleans take a byte there.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Stores one element where `predicate` (null: always) holds.
void emitSharedStore(mlir::ImplicitLocOpBuilder &b, mlir::Value address,
                     mlir::Value element, mlir::Value predicate);

/// `count` neighbouring elements, a power of two, with as few accesses as their
/// size allows. The address is aligned to all of them, up to 16 bytes.
llvm::SmallVector<mlir::Value> emitSharedLoad(mlir::ImplicitLocOpBuilder &b,
                                              mlir::Value address,
                                              mlir::Type element,
                                              unsigned count);

} // namespace tilewright
