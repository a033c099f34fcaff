// Conversions of 8-bit floats, which LLVM has no type for: they are stored in
// i8.
//
// Every value of f8E4M3FN and f8E5M2 is a value of f16, so widening is exact.
// Narrowing rounds to nearest, ties to even. It saturates larger values,
// including infinities, to the largest finite value, as the GPU's instructions
// do. NaN stays NaN. GPUs without these instructions get the same results from
// integer arithmetic.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_CASTEMISSION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_CASTEMISSION_H

#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Converts `bytes` (i8), read as `float8`, to the float type `result`.
llvm::SmallVector<mlir::Value>
emitFromFloat8(mlir::ImplicitLocOpBuilder &b, const NvidiaTarget &target,
               mlir::ValueRange bytes, mlir::Type float8, mlir::Type result);

/// Converts floats of any type to `float8` with one rounding, as i8.
llvm::SmallVector<mlir::Value> emitToFloat8(mlir::ImplicitLocOpBuilder &b,
                                            const NvidiaTarget &target,
                                            mlir::ValueRange floats,
                                            mlir::Type float8);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_CASTEMISSION_H
