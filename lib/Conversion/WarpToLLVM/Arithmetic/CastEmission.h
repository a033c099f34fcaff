// Conversions of 8-bit floats, which LLVM has no type for: they are kept in i8.
//
// Every value of f8E4M3FN and f8E5M2 is a value of f16, so widening is exact.
// Narrowing rounds to the nearest, ties to even, and takes what is too large,
// infinities included, to the largest finite value, as the GPU's own
// instructions do; NaN stays NaN. GPUs without these instructions get the same
// results from integer arithmetic.

#pragma once

#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// The values of `bytes` (i8), read as `float8`, in the float type `result`.
llvm::SmallVector<mlir::Value>
emitFromFloat8(mlir::ImplicitLocOpBuilder &b, const NvidiaTarget &target,
               mlir::ValueRange bytes, mlir::Type float8, mlir::Type result);

/// Floats of any type rounded once to `float8`, as i8.
llvm::SmallVector<mlir::Value> emitToFloat8(mlir::ImplicitLocOpBuilder &b,
                                            const NvidiaTarget &target,
                                            mlir::ValueRange floats,
                                            mlir::Type float8);

} // namespace tilewright
