// Functions of f32 as polynomials: branch-free, about twenty instructions each
// (some up to 90), where the mathematics library would call a long function for
// each element.
//
// The coefficients minimise the largest relative error on their interval
// (Lawson's iteration on Chebyshev points, in double precision or more), which
// is below 2^-25 for all of them; what remains is rounding. Errors in ULP,
// measured against more precision on a million points: erf 1.5, tanh 2.1, log
// 1, log2 1.6, log10 1, asinh 1.7, acosh 2.3, atanh 1.9, expm1 1.2, cbrt 0.5,
// pow 2.4, sin and cos 1.6, tan 2.9, asin 2, acos 1.3, atan 1.3, atan2 1.9,
// sinh 1.6, cosh 1.5. Those that may be approximated are single instructions.
//
// Logarithms and the inverse hyperbolic functions are in
// LogarithmApproximation.cpp, exponentials, the hyperbolic and the error
// function in ExponentialApproximation.cpp, functions of angles and angles in
// TrigonometricApproximation.cpp, powers and roots in PowerApproximation.cpp.

#pragma once

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

/// The sine of x, whose size is at most `kMostOfAngle`, and so many quarters of
/// a turn; of 1 the cosine.
mlir::Value emitSine(mlir::ImplicitLocOpBuilder &b, mlir::Value x,
                     int quarterTurns);
/// As above, the tangent.
mlir::Value emitTan(mlir::ImplicitLocOpBuilder &b, mlir::Value x);
inline constexpr float kMostOfAngle = 100000.0f;

/// `instruction result, x;`
mlir::Value emitUnaryPtx(mlir::ImplicitLocOpBuilder &b,
                         llvm::StringRef instruction, mlir::Value x);

/// The one instruction that computes an op of `math` on f32 that may be
/// approximated (`afn`); empty where there is none.
llvm::StringRef getFastInstruction(mlir::Operation *op);

} // namespace tilewright
