// Which bytes of shared memory an op uses.
//
// Two kinds of ops do. `warp.alloc` makes a tile that others read and write by
// name. Ops such as a layout conversion between warps use *scratch*: they write
// it, wait for all warps, and read it, all within themselves.
//
// The reads of `warp.wgmma` go on until a `warp.wgmma_wait` has ended them:
// they are counted as reads of both ops.

#pragma once

#include "dialect/Warp/WarpOps.h"

namespace tilewright {

/// Small pieces of shared memory start at multiples of this many bytes, and
/// none needs more than the other: the widest swizzle repeats after so many.
inline constexpr int64_t kSharedAlignment = 128, kMaxSharedAlignment = 1024;

/// The multiple of bytes at which shared memory of `size` bytes starts.
int64_t getSharedAlignment(int64_t size);

/// The shared memory to allocate for `op` itself, in bytes; zero for most.
int64_t getSharedBytes(mlir::Operation *op);

/// Whether what `op` allocates is scratch.
bool usesScratch(mlir::Operation *op);

/// The first of `op` and what stands in its regions that may write memory other
/// than shared memory; null if nothing does.
mlir::Operation *findGlobalWrite(mlir::Operation *op);

/// The memory that `tile` is, or is another name for.
mlir::Value getNamedMemory(mlir::Value tile);

/// What an access does to a ring. What has been read is not filled before it is
/// released: until then a slot to fill is another one.
enum class RingAccess { None, Fill, Wait, Read, Released };

struct SharedUse {
  int64_t begin, end;
  bool isWrite;
  /// What orders the uses among each other: the `warp.ring` whose slot it is,
  /// or the `warp.alloc` that stores go through. And what is done with a slot.
  mlir::Operation *ring = nullptr;
  RingAccess access = RingAccess::None;

  bool operator==(const SharedUse &other) const {
    return begin == other.begin && end == other.end &&
           isWrite == other.isWrite && ring == other.ring &&
           access == other.access;
  }
  /// Whether a barrier has to stand between `earlier` and this.
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

/// How `op` touches shared memory that has been allocated. Scratch is written
/// at the start; `getUsesAfter` says what is left of it.
llvm::SmallVector<SharedUse> getSharedUses(mlir::Operation *op);

/// The accesses of an op with scratch that other warps may still be at when one
/// warp has come out of it: the reads behind its inner barrier.
llvm::SmallVector<SharedUse> getUsesAfter(mlir::Operation *op);

/// What `uses` are behind `op`, which may release the slots that they read.
void passRelease(mlir::Operation *op, llvm::MutableArrayRef<SharedUse> uses);

/// All ops that touch memory that `alloc` makes, or gives another name to: a
/// tile, a ring or a slot of one, which loops and branches may hand on; and the
/// waits that end asynchronous reads.
llvm::SmallVector<mlir::Operation *> getTileUsers(mlir::Operation *alloc);

/// The waits that may have given `slot`, which loops and branches hand on; all
/// of the function where it came another way.
llvm::SmallVector<warp::RingWaitOp> getSlotWaits(mlir::Value slot);

/// What a multiprocessor keeps of its shared memory for each program.
inline constexpr int64_t kReservedSharedBytes = 1024;

/// The most that one program gets.
inline constexpr int64_t kMostSharedBytes = 227 * 1024;

/// How many programs with so much shared memory fit on a multiprocessor;
/// `limit` is the most that one gets.
inline int64_t countPrograms(int64_t bytes, int64_t limit = kMostSharedBytes) {
  return (limit + kReservedSharedBytes) / (bytes + kReservedSharedBytes);
}

/// Whether all warps have waited for each other somewhere in `op`: a barrier,
/// or an op with scratch.
bool synchronizes(mlir::Operation *op);

} // namespace tilewright
