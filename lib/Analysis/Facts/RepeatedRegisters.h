// Finds adjacent registers that hold the same value, or consecutive values.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_REPEATEDREGISTERS_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_REPEATEDREGISTERS_H

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AxisInfoAnalysis;

/// Counts adjacent registers with equal values for each elementwise op on
/// integers and for each load below an operation. Such a value is computed
/// once. If 16 divides n and the first column, `cols < n` is one comparison for
/// sixteen columns. A scale for each 128 columns is one load. For remainders,
/// counts registers with consecutive values: sixteen of `cols % n`. Computed
/// before anything is rewritten, since the analysis works on tiles.
class RepeatedRegisters {
public:
  RepeatedRegisters(mlir::Operation *root, const AxisInfoAnalysis &analysis);

  /// A power of two. Registers whose numbers differ only in the bits below it
  /// are equal.
  unsigned get(mlir::Operation *op) const { return counts.lookup_or(op, 1); }

  /// A power of two: the length of runs of registers with consecutive values.
  /// More than 1 only for remainders, each of which would take a division.
  unsigned getRun(mlir::Operation *op) const { return runs.lookup_or(op, 1); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> counts, runs;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_REPEATEDREGISTERS_H
