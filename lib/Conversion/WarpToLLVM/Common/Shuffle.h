// Exchanges values between the lanes of a warp.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHUFFLE_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHUFFLE_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Returns the value of lane (lane xor mask), of any scalar type.
mlir::Value emitShuffleXor(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                           uint32_t mask);

/// Returns the value of lane `lane` (i32), of any scalar type.
mlir::Value emitShuffleIndex(mlir::ImplicitLocOpBuilder &b, mlir::Value value,
                             mlir::Value lane);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_COMMON_SHUFFLE_H
