// Integers become floats without the conversions of the GPU's unit for special
// functions, which takes a sixteenth of a multiprocessor's threads at a time.
//
// Small numbers are put into the lower bits of halves of which the upper ones
// are a power of two so large that the last place is one; a subtraction takes
// that away again. Others go through f32, for which the other units have a
// conversion of integers of 32 bits.

#pragma once

#include "lib/Analysis/Facts/IntegerRanges.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Whether `emitIntegerCast` casts integers of `type` in `range` to `result`,
/// with one rounding. `range` is that of the numbers, so of unsigned ones never
/// negative.
bool hasFastCast(mlir::Type type, mlir::Type result, IntegerRange range);

/// `values`, integers of one type for which `hasFastCast` holds by their
/// `facts`, rounded to `result`. Those whose numbers differ in bit `pairBit`
/// share a word.
llvm::SmallVector<mlir::Value>
emitIntegerCast(mlir::ImplicitLocOpBuilder &b, const NvidiaTarget &target,
                mlir::ValueRange values, bool isSigned, const CastFacts &facts,
                mlir::Type result, unsigned pairBit = 0);

/// Integers of 32 or 64 bits as bf16, rounded once, for GPUs without an
/// instruction for that.
llvm::SmallVector<mlir::Value> emitBF16ThroughF32(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::ValueRange values,
                                                  bool isSigned);

} // namespace tilewright
