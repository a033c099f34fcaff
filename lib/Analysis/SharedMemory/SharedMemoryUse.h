// Finds the bytes of shared memory that an op uses.
//
// Two kinds of ops use shared memory. `warp.alloc` allocates a tile that other
// ops read and write. Ops such as a layout conversion between warps use
// *scratch*: they write it, wait for all warps, and read it.
//
// The reads of `warp.wgmma` continue until a `warp.wgmma_wait`. They are reads
// of both ops.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H

#include "dialect/Warp/WarpOps.h"

namespace tilewright {

/// The minimum and maximum alignment of shared memory in bytes. The widest
/// swizzle repeats after the maximum.
inline constexpr int64_t kSharedAlignment = 128, kMaxSharedAlignment = 1024;

/// The alignment of shared memory of `size` bytes.
int64_t getSharedAlignment(int64_t size);

/// The shared memory to allocate for `op` itself, in bytes; zero for most.
int64_t getSharedBytes(mlir::Operation *op);

/// Whether `op` uses scratch.
bool usesScratch(mlir::Operation *op);

/// The first op among `op` and its regions that may write other memory than
/// shared memory. Null if there is none.
mlir::Operation *findGlobalWrite(mlir::Operation *op);

/// The memory that `tile` is, or is a view of.
mlir::Value getNamedMemory(mlir::Value tile);

/// The access to a ring slot. A slot that is read is not filled before it is
/// released. Until then `Fill` refers to another slot.
enum class RingAccess { None, Fill, Wait, Read, Released };

struct SharedUse {
  int64_t begin, end;
  bool isWrite;
  /// The op that orders its uses among each other: the `warp.ring` of a slot,
  /// or the `warp.alloc` through which TMA stores go. And the access to a slot.
  mlir::Operation *ring = nullptr;
  RingAccess access = RingAccess::None;

  bool operator==(const SharedUse &other) const {
    return begin == other.begin && end == other.end &&
           isWrite == other.isWrite && ring == other.ring &&
           access == other.access;
  }
  /// Whether a barrier is needed between `earlier` and this use.
  bool conflictsWith(const SharedUse &earlier) const {
    if (ring && ring == earlier.ring)
      return (earlier.access == RingAccess::Wait &&
              access == RingAccess::Read) ||
             (earlier.access == RingAccess::Released &&
              access == RingAccess::Fill);
    return begin < earlier.end && earlier.begin < end &&
           (isWrite || earlier.isWrite);
  }
};

/// The uses of allocated shared memory by `op`. Scratch is written at the
/// start; `getUsesAfter` returns the uses at the end.
llvm::SmallVector<SharedUse> getSharedUses(mlir::Operation *op);

/// The uses by `op` that other warps may not have completed when one warp has
/// finished it. For an op with scratch, the reads after its inner barrier.
llvm::SmallVector<SharedUse> getUsesAfter(mlir::Operation *op);

/// Marks the `uses` that read slots as released if `op` releases slots.
void applyRelease(mlir::Operation *op, llvm::MutableArrayRef<SharedUse> uses);

/// All ops that use the memory of `alloc` or a view of it: a tile, a ring or
/// its slots, which loops and branches may forward. Includes the waits that end
/// asynchronous reads.
llvm::SmallVector<mlir::Operation *> getTileUsers(mlir::Operation *alloc);

/// The waits whose result `slot` may be, through loops and branches. All waits
/// of the function if it is defined in another way.
llvm::SmallVector<warp::RingWaitOp> getSlotWaits(mlir::Value slot);

/// Whether all warps wait for each other in `op`: a barrier, or an op with
/// scratch.
bool synchronizes(mlir::Operation *op);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_SHAREDMEMORYUSE_H
