// Conversions of floats narrower than 32 bits, in one lane or many, written
// with integer arithmetic where hardware has no instruction.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_SHORTFLOATS_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_SHORTFLOATS_H

#include "mlir/IR/Builders.h"

namespace tilewright::cpu {

/// Whether arithmetic on `element` is done in f32.
bool isShortFloat(mlir::Type element);

/// Whether values of `element` are passed as integers of its width. LLVM has no
/// 8-bit floats, and on many processors emits a call per element for bf16.
bool travelsAsBits(mlir::Type element);

/// Returns the exact f32 value of `value`, which holds elements of type
/// `element`, as integers if `travelsAsBits`.
mlir::Value extendToF32(mlir::OpBuilder &builder, mlir::Location loc,
                        mlir::Value value, mlir::Type element);

/// `value` (f32) rounded to nearest even as `element`. Values beyond the range
/// of an 8-bit float, infinities included, become its largest finite value;
/// NaN stays NaN.
mlir::Value roundFromF32(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type element);

/// Converts f64 to f32 such that rounding again to a short float gives the
/// result of a single rounding. Inexact results get an odd last bit.
mlir::Value roundToOddF32(mlir::OpBuilder &builder, mlir::Location loc,
                          mlir::Value value);

/// `x * y + z` on elements of the short float type `element`, rounded once.
mlir::Value emitShortFma(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::ValueRange operands, mlir::Type element);

/// Integers of more than 24 bits as the f32 that `roundFromF32` rounds to what
/// one rounding of the integer gives: inexact results get an odd last bit.
mlir::Value integerToOddF32(mlir::OpBuilder &builder, mlir::Location loc,
                            mlir::Value value, bool isSigned);

/// Any float element type to any other.
mlir::Value convertFloat(mlir::OpBuilder &builder, mlir::Location loc,
                         mlir::Value value, mlir::Type from, mlir::Type to);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_SHORTFLOATS_H
