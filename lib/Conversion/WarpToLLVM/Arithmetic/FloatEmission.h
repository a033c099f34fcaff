// Building blocks of functions of f32.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_FLOATEMISSION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_FLOATEMISSION_H

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

mlir::Value emitF32(mlir::ImplicitLocOpBuilder &b, float value);
mlir::Value emitFma(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y,
                    mlir::Value z);
mlir::Value emitSelect(mlir::ImplicitLocOpBuilder &b,
                       mlir::LLVM::FCmpPredicate predicate, mlir::Value lhs,
                       mlir::Value rhs, mlir::Value yes, mlir::Value no);

/// Evaluates the polynomial with these coefficients, the constant first.
mlir::Value emitPolynomial(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                           llvm::ArrayRef<float> coefficients);

/// A number as the unevaluated sum of two; `low` is about an ULP of `high`.
struct Pair {
  mlir::Value high, low;
};

/// Returns x * y exactly: the rounded product and its rounding error.
Pair emitExactMul(mlir::ImplicitLocOpBuilder &b, mlir::Value x, mlir::Value y);

/// An integer as a float, and in the lowest bits of `bits`.
struct Nearest {
  mlir::Value integer, bits;
};

/// 3 * 2^22: the lowest bits of x + kNearest are the integer nearest to x.
inline constexpr float kNearest = 12582912.0f;
inline constexpr int32_t kNearestBits = 0x4b400000;

/// Returns the nearest integer of x, where `shifted` is x + kNearest.
Nearest emitNearest(mlir::ImplicitLocOpBuilder &b, mlir::Value shifted);

/// Returns the exponent and the fraction of positive finite x. 1 + fraction is
/// at least the float with the bits `leastBits`, and below twice that.
std::pair<mlir::Value, mlir::Value> emitSplit(mlir::ImplicitLocOpBuilder &b,
                                              mlir::Value x, int32_t leastBits);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_FLOATEMISSION_H
