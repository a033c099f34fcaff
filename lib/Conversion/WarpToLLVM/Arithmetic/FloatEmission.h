// What functions of f32 are put together from.

#pragma once

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

mlir::Value emitF32(mlir::ImplicitLocOpBuilder &b, float value);
mlir::Value emitFma(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y,
                    mlir::Value z);
mlir::Value emitSelect(mlir::ImplicitLocOpBuilder &b,
                       mlir::LLVM::FCmpPredicate predicate, mlir::Value lhs,
                       mlir::Value rhs, mlir::Value yes, mlir::Value no);

/// The polynomial with these coefficients, the constant first.
mlir::Value emitPolynomial(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                           llvm::ArrayRef<float> coefficients);

/// A number as the sum of two, of which `low` is about an ULP of `high`.
struct Pair {
  mlir::Value high, low;
};

/// x * y as rounded, and what rounding took away.
Pair emitDot(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);

/// An integer as a number, and in the lowest bits of `bits`.
struct Nearest {
  mlir::Value integer, bits;
};

/// 3 * 2^22: the lowest bits of sums with it are the nearest integer.
inline constexpr float kNearest = 12582912.0f;
inline constexpr int32_t kNearestBits = 0x4b400000;

/// Of what `kNearest` was added to.
Nearest emitNearest(mlir::ImplicitLocOpBuilder &b, mlir::Value shifted);

/// The exponent and the fraction of positive finite x, where 1 + fraction is at
/// least the number of these bits and below twice that.
std::pair<mlir::Value, mlir::Value> emitSplit(mlir::ImplicitLocOpBuilder &b,
                                              mlir::Value x, int32_t leastBits);

} // namespace tilewright
