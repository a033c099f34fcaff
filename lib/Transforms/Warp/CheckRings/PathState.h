// The abstract state at one point of one path through a role: the slots that it
// holds, the pending wgmmas and copies, and the memory that lacks a fence.
//
// The slots of a ring have sequence numbers, in the order in which they are
// acquired and waited for. `normalize` makes states equal that differ only in
// the number of slots that are done, so a loop has finitely many states.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHSTATE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHSTATE_H

#include "dialect/Warp/WarpOps.h"

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::warp {

/// A tile in shared memory: one of slot `sequence` of the `warp.ring` `origin`,
/// or that of the `warp.alloc` `origin`.
struct Memory {
  mlir::Operation *origin = nullptr;
  int64_t sequence = 0;
  unsigned tile = 0;

  auto key() const { return std::tie(origin, sequence, tile); }
  bool operator<(const Memory &other) const { return key() < other.key(); }
  bool operator==(const Memory &other) const { return key() == other.key(); }
};

/// The abstract value of an SSA value.
struct Known {
  enum Kind {
    Nothing,
    NoSlot,
    SlotToFill,
    SlotToRead,
    TileToFill,
    TileToRead,
    AllocTile,
    /// The accumulator of wgmma number `number`.
    Accumulator,
    Integer,
    /// The induction variable in the first iteration, and in later ones.
    FirstCounter,
    LaterCounter
  };
  Kind kind = Nothing;
  Memory memory = {};
  int64_t number = 0;

  auto key() const { return std::tie(kind, memory, number); }
  bool operator<(const Known &other) const { return key() < other.key(); }
};

/// The slots of a ring that a role has passed. Counts that do not apply to the
/// role stay 0.
struct RingProgress {
  bool fills = false, reads = false;
  int64_t acquired = 0, committed = 0, waited = 0, released = 0;

  auto key() const { return std::tie(acquired, committed, waited, released); }
  bool operator<(const RingProgress &other) const {
    return key() < other.key();
  }
};

/// A pending group of `cp.async` copies.
struct CopyGroup {
  /// Null if the ring has been recreated.
  mlir::Operation *ring;
  int64_t sequence;
  /// Whether it has copies that are not predicated.
  bool hasCopies;

  auto key() const { return std::tie(ring, sequence, hasCopies); }
  bool operator<(const CopyGroup &other) const { return key() < other.key(); }
};

struct PathState {
  std::map<const void *, Known> values;
  std::map<mlir::Operation *, RingProgress> rings;
  /// The tiles that copies fill: of slots until they are committed, and of
  /// slots of `cp.async` until they are released.
  std::set<Memory> filled;
  std::deque<CopyGroup> copies;
  /// Whether a copy was issued since the last commit.
  bool hasOpenCopies = false;
  /// The tiles that each pending wgmma reads; the last one is number
  /// `numWgmmas - 1`.
  std::deque<std::vector<Memory>> running;
  int64_t numWgmmas = 0;
  /// Writes of threads that asynchronous readers do not see yet. The value
  /// tells whether a fence has passed, so that only a barrier is missing.
  std::map<Memory, bool> written;
  /// Tiles that threads have read, without a fence since.
  std::set<Memory> readByThreads;
  /// Staging buffers of `warp.tma_store`. The value tells whether a wait for
  /// the copies has passed, so that only a barrier is missing.
  std::map<mlir::Operation *, bool> storing;
  /// Staging buffers whose copies may not have arrived in global memory.
  std::set<mlir::Operation *> arriving;
  /// Rings of a cluster that other CTAs may not have initialized yet, and those
  /// that they may still be using.
  std::set<mlir::Operation *> unannounced, shared;
  /// Tiles of `warp.alloc` and rings whose content is lost, with the op that
  /// has overwritten it.
  std::map<mlir::Operation *, mlir::Operation *> lost;

  Known get(mlir::Value value) const;
  void set(mlir::Value value, Known known);
  /// Copies the abstract value of one SSA value to another.
  void pass(mlir::Value from, mlir::Value to) { set(to, get(from)); }
  /// Forgets the values that are defined in `region`.
  void leave(mlir::Region &region);

  /// Forgets the slots of a ring that is recreated. Their copies still count
  /// among the groups that a wait leaves pending.
  void forget(mlir::Operation *ring);
  /// Models a barrier of the role: earlier fenced writes and completed copies
  /// of stores become visible to all warps.
  void synchronize();

  bool isRunning(const Known &acc) const {
    return acc.kind == Known::Accumulator &&
           acc.number >= numWgmmas - int64_t(running.size());
  }
  bool isRead(const Memory &memory) const;

  void normalize();
  auto key() const {
    return std::tie(values, rings, filled, copies, hasOpenCopies, running,
                    numWgmmas, written, readByThreads, storing, arriving,
                    unannounced, shared, lost);
  }
  bool operator<(const PathState &other) const { return key() < other.key(); }
};

using PathStates = std::set<PathState>;

inline RingOp getRing(const Memory &memory) {
  return mlir::dyn_cast_or_null<RingOp>(memory.origin);
}

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHSTATE_H
