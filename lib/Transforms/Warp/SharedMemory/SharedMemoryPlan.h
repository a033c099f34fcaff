// Assigns offsets in shared memory to the tiles, rings and scratch of a kernel.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPLAN_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPLAN_H

#include "mlir/Interfaces/FunctionInterfaces.h"
#include "llvm/ADT/SmallPtrSet.h"

namespace tilewright {

/// The memory of one op, and its lifetime as the first and last op that need
/// it.
struct SharedPiece {
  mlir::Operation *op;
  int64_t size;
  unsigned firstOp, lastOp;
  /// The rings whose slots are unused from the first need of this on.
  llvm::SmallPtrSet<mlir::Operation *, 2> idleRings = {};
  int64_t offset = 0;

  int64_t end() const { return offset + size; }
  bool livesWith(const SharedPiece &other) const;
  /// Returns the start of the part of this that `other`, which lives with it,
  /// must not overlap.
  int64_t getPinnedStart(const SharedPiece &other) const;
};

/// All memory of a function, sorted by offset, and its total size.
struct SharedMemoryPlan {
  llvm::SmallVector<SharedPiece> pieces;
  int64_t bytes = 0;
};

/// Packs the memory of `function`: pieces with disjoint lifetimes may share
/// offsets. The pieces of each ping-pong group are contiguous, one group after
/// the other.
SharedMemoryPlan planSharedMemory(mlir::FunctionOpInterface function);

/// Like `planSharedMemory`, but separates pieces whose overlap would need
/// barriers, unless that lowers the occupancy of an SM with `limit` bytes.
SharedMemoryPlan planForFewBarriers(mlir::FunctionOpInterface function,
                                    int64_t limit);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPLAN_H
