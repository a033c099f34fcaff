// Memory of a module, and the threads that make tensor maps in it.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The threads of a warpgroup.
inline constexpr unsigned kGroupThreads = 128;

/// Whether this warp is the first of a warpgroup of its role (i1).
mlir::Value emitIsFirstWarp(mlir::ImplicitLocOpBuilder &b);
mlir::Value emitIsFirstLane(mlir::ImplicitLocOpBuilder &b);

/// The address of `symbol`, so many bytes of `fill` in global memory that
/// belong to the module, from a multiple of 128 bytes on.
mlir::Value emitGlobal(mlir::ImplicitLocOpBuilder &b, const llvm::Twine &symbol,
                       int64_t bytes, char fill = 0);

} // namespace tilewright
