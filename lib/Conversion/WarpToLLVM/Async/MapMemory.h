// Memory of the module for tensor maps, and the threads that write them.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_MAPMEMORY_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_MAPMEMORY_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Whether this warp is the first one of a warpgroup of its role (i1).
mlir::Value emitIsFirstWarp(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitIsFirstLane(mlir::ImplicitLocOpBuilder &b);

/// Returns the address of `symbol`: `bytes` bytes of `fill` in global memory of
/// the module, aligned to 128 bytes.
mlir::Value emitGlobal(mlir::ImplicitLocOpBuilder &b, const llvm::Twine &symbol,
                       int64_t bytes, char fill = 0);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ASYNC_MAPMEMORY_H
