// Casts integers to floats without the conversions of the special function
// unit, which has a sixteenth of the throughput of the other units.
//
// Small numbers are placed in the low bits of a float that is a power of two so
// large that its last bit has weight one. A subtraction removes that power of
// two. Other numbers go through f32: the other units convert 32-bit integers to
// f32.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_INTEGERCASTEMISSION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_INTEGERCASTEMISSION_H

#include "lib/Analysis/Facts/IntegerRanges.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Whether `emitIntegerCast` casts integers of `type` in `range` to `result`
/// with one rounding. `range` is the range of the values: never negative for
/// unsigned ones.
bool hasFastCast(mlir::Type type, mlir::Type result, IntegerRange range);

/// Casts `values` to `result`. They are integers of one type for which
/// `hasFastCast` holds by their `facts`. Values whose register numbers differ
/// in bit `pairBit` share a word.
llvm::SmallVector<mlir::Value>
emitIntegerCast(mlir::ImplicitLocOpBuilder &b, const NvidiaTarget &target,
                mlir::ValueRange values, bool isSigned, const CastFacts &facts,
                mlir::Type result, unsigned pairBit = 0);

/// Casts integers of 32 or 64 bits to bf16 with one rounding, for GPUs without
/// an instruction for that.
llvm::SmallVector<mlir::Value> emitBF16ThroughF32(mlir::ImplicitLocOpBuilder &b,
                                                  mlir::ValueRange values,
                                                  bool isSigned);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_ARITHMETIC_INTEGERCASTEMISSION_H
