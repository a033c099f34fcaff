// How many neighbouring registers hold the same number, or count up from one.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AxisInfoAnalysis;

/// For each elementwise op below an operation that gives a tile of integers,
/// and for each load: how many neighbouring registers are known to get one
/// value, so that one of them need be computed. `cols < n` is one comparison
/// for each sixteen columns where 16 divides n and the columns begin at
/// multiples of it; a scale for each 128 columns is one load. Of remainders,
/// how many follow from one of them: `cols % n` are sixteen that count up.
/// Computed before anything is rewritten: the analysis works on tiles.
class RepeatedRegisters {
public:
  RepeatedRegisters(mlir::Operation *root, const AxisInfoAnalysis &analysis);

  /// A power of two; registers that differ in the bits below it are equal.
  unsigned get(mlir::Operation *op) const { return counts.lookup_or(op, 1); }

  /// A power of two; each of so many registers holds 1 more than the one before
  /// it. More than 1 for remainders only, which take a division each.
  unsigned getRun(mlir::Operation *op) const { return runs.lookup_or(op, 1); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> counts, runs;
};

} // namespace tilewright
