// Which bytes of shared memory an op uses.
//
// Two kinds of ops do. `warp.alloc` makes a tile that others read and write by
// name. Ops such as a layout conversion between warps use *scratch*: they write
// it, wait for all warps, and read it, all within themselves.

#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Offsets of accesses are aligned to this many bytes.
inline constexpr int64_t kSharedAlignment = 128;

/// The shared memory to allocate for `op` itself, in bytes; zero for most.
int64_t getSharedBytes(mlir::Operation *op);

/// Whether what `op` allocates is scratch.
bool usesScratch(mlir::Operation *op);

/// What an access does to a ring.
enum class RingAccess { None, Fill, Wait, Read };

struct SharedUse {
  int64_t begin, end;
  bool isWrite;
  /// The `warp.ring` whose slot it is, and what is done with it.
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
             (earlier.access == RingAccess::Read && access == RingAccess::Fill);
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

/// Whether all warps have waited for each other somewhere in `op`: a barrier,
/// or an op with scratch.
bool synchronizes(mlir::Operation *op);

} // namespace tilewright
