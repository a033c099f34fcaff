// How many neighbouring registers one access to global memory moves.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AxisInfoAnalysis;

/// The registers of each group of an access through the tile of pointers `ptr`:
/// the lowest bits of the register number count elements that are neighbours in
/// memory, aligned to the size of the group, and share one bit of `mask` (which
/// may be null). At most 16 bytes.
unsigned getAccessWidth(const AxisInfoAnalysis &analysis, mlir::Value ptr,
                        mlir::Value mask);

/// Whether the order that `op` asks for is made by fences around the relaxed
/// instructions of all elements of a thread, one for all of them; each would
/// wait for one of its own.
bool hasFencesApart(tile::AtomicRMWOp op);

/// Whether nobody asks what memory held before `op`, nor waits for it.
bool needsNoResult(tile::AtomicRMWOp op);

/// How many neighbours in memory one instruction of `op` acts on at most: two
/// halves, on Hopper as many floats as 16 bytes hold where no result is needed.
unsigned getAtomicWidth(tile::AtomicRMWOp op, const NvidiaTarget &target);

/// The widths of all accesses below an operation, computed before anything is
/// rewritten: the analysis works on tiles.
class AccessWidths {
public:
  AccessWidths(mlir::Operation *root, const AxisInfoAnalysis &analysis);

  /// The width of a load, store or atomic.
  unsigned get(mlir::Operation *op) const { return widths.lookup_or(op, 1); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> widths;
};

} // namespace tilewright
