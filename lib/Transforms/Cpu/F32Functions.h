// Functions of f32 scalars and vectors in terms of additions, multiplications
// and bit operations. Errors are stated in units in the last place (ULP), the
// largest found over the function's range against f64.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_CPU_F32FUNCTIONS_H
#define TILEWRIGHT_LIB_TRANSFORMS_CPU_F32FUNCTIONS_H

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

struct F32Functions {
  mlir::OpBuilder &b;
  mlir::Location loc;

  /// 1.1 ULP, denormal results included.
  mlir::Value exp(mlir::Value x) const;
  mlir::Value exp2(mlir::Value x) const;
  /// 1 ULP for log, 2 ULP for the others.
  mlir::Value log(mlir::Value x) const;
  mlir::Value log2(mlir::Value x) const;
  mlir::Value log10(mlir::Value x) const;
  /// 2 ULP.
  mlir::Value tanh(mlir::Value x) const;
  mlir::Value erf(mlir::Value x) const;
  /// 1 ULP where |x| is up to `kLargestAngle`. Larger values and NaN give
  /// results that must not be used.
  mlir::Value sin(mlir::Value x) const;
  mlir::Value cos(mlir::Value x) const;
  static constexpr float kLargestAngle = 1e8f;

private:
  mlir::Type like(mlir::Value x, mlir::Type element) const;
  mlir::Value constant(mlir::Value x, float value) const;
  mlir::Value integer(mlir::Value x, uint32_t value) const;
  mlir::Value bits(mlir::Value x) const;
  mlir::Value number(mlir::Value bits) const;
  mlir::Value add(mlir::Value x, mlir::Value y) const;
  mlir::Value sub(mlir::Value x, mlir::Value y) const;
  mlir::Value mul(mlir::Value x, mlir::Value y) const;
  mlir::Value muladd(mlir::Value x, mlir::Value y, mlir::Value z) const;
  mlir::Value polynomial(mlir::Value x, llvm::ArrayRef<float> terms) const;
  mlir::Value clamp(mlir::Value x, float low, float high) const;
  mlir::Value magnitude(mlir::Value x) const;
  mlir::Value withSignOf(mlir::Value magnitude, mlir::Value x) const;
  std::pair<mlir::Value, mlir::Value> round(mlir::Value x) const;
  mlir::Value scale(mlir::Value x, mlir::Value exponent) const;
  mlir::Value logarithm(mlir::Value x, float high, float low,
                        float exponentHigh, float exponentLow) const;
  mlir::Value sine(mlir::Value x, uint32_t quarterTurns) const;
};

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_TRANSFORMS_CPU_F32FUNCTIONS_H
