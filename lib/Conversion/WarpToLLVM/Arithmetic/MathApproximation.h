// Functions of f32 as polynomials: branch-free, about twenty instructions each
// (some up to 90). The math library would call a long function for each
// element.
//
// The coefficients minimise the largest relative error on their interval
// (Lawson's iteration on Chebyshev points, in double precision or more). It is
// below 2^-25 for all of them; the rest is rounding.
// benchmarks/notes/math-accuracy.md lists the errors in ULP. Functions that may
// be approximated (`afn`) are single instructions.
//
// LogarithmApproximation.cpp: logarithms and inverse hyperbolic functions.
// ExponentialApproximation.cpp: exponentials, hyperbolic and error functions.
// TrigonometricApproximation.cpp: trigonometric functions and their inverses.
// PowerApproximation.cpp: powers and roots.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_MATHAPPROXIMATION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_MATHAPPROXIMATION_H

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

mlir::Value emitErf(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitTanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog1p(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog2(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitLog10(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAsinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitExpM1(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitSinh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitCosh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAsin(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAcos(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtan2(mlir::ImplicitLocOpBuilder &b, mlir::Value y,
                      mlir::Value x);
mlir::Value emitCbrt(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitAtanh(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
mlir::Value emitPow(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                    mlir::Value y);

/// Returns the sine of x + quarterTurns * pi / 2, for |x| up to `kMaxAngle`.
/// One quarter turn gives the cosine.
mlir::Value emitSine(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     int quarterTurns);
/// Returns the tangent, for the same x.
mlir::Value emitTan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
inline constexpr float kMaxAngle = 100000.0f;

/// Emits `instruction result, x;`.
mlir::Value emitUnaryPtx(mlir::ImplicitLocOpBuilder &b,
                         llvm::StringRef instruction, mlir::Value x);

/// Returns the single instruction that computes an op of `math` on f32 that may
/// be approximated (`afn`), or an empty string.
llvm::StringRef getFastInstruction(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_MATHAPPROXIMATION_H
