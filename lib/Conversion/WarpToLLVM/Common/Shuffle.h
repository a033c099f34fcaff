// Values exchanged between the lanes of a warp.

#pragma once

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The value that lane (lane xor mask) holds, of any scalar type.
mlir::Value emitShuffleXor(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                           uint32_t mask);

/// The value that lane `lane` (i32) holds, of any scalar type.
mlir::Value emitShuffleIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                             mlir::Value lane);

} // namespace tilewright
