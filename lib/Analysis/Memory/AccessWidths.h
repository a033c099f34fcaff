// How many neighbouring registers one access to global memory moves.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_ACCESSWIDTHS_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_ACCESSWIDTHS_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "llvm/ADT/DenseMap.h"

namespace tilewright {

class AxisInfoAnalysis;

/// The number of registers that one access through the tile of pointers `ptr`
/// moves, at most 16 bytes. The lowest bits of the register number count
/// elements of such a group. They are:
/// 1. Adjacent in memory.
/// 2. Aligned to the size of the group.
/// 3. Under one bit of `mask` (which may be null).
unsigned getAccessWidth(const AxisInfoAnalysis &analysis, mlir::Value ptr,
                        mlir::Value mask);

/// Whether one fence before and after the relaxed instructions of a thread
/// implements the memory order of `op`. Ordered instructions would wait for a
/// fence each.
bool fencesOncePerThread(tile::AtomicRMWOp op);

/// Whether `op` needs neither the old value of memory nor to wait for it.
bool needsNoResult(tile::AtomicRMWOp op);

/// The maximum number of adjacent elements that one instruction of `op`
/// updates: two of 16 bits. On Hopper as many floats as fit 16 bytes if no
/// result is needed.
unsigned getAtomicWidth(tile::AtomicRMWOp op, const NvidiaTarget &target);

/// The widths of all accesses below an operation. Computed before anything is
/// rewritten, since the analysis works on tiles.
class AccessWidths {
public:
  AccessWidths(mlir::Operation *root, const AxisInfoAnalysis &analysis);

  /// The width of a load, store or atomic.
  unsigned get(mlir::Operation *op) const { return widths.lookup_or(op, 1); }

private:
  llvm::DenseMap<mlir::Operation *, unsigned> widths;
};

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_ACCESSWIDTHS_H
