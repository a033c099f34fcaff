// How many neighbouring registers one access to global memory moves.

#pragma once

#include "mlir/IR/Operation.h"
#include "llvm/ADT/DenseMap.h"

namespace tilewright {

/// Computed before anything is rewritten: the analysis works on tiles.
class AccessWidths {
public:
  explicit AccessWidths(mlir::Operation *root);

  /// The registers of each group of a load, store or atomic: the lowest bits of
  /// the register number count elements that are neighbours in memory, aligned
  /// to the size of the group, and share one mask. At most 16 bytes.
  unsigned get(mlir::Operation *op) const { return widths.lookup_or(op, 1); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> widths;
};

} // namespace tilewright
