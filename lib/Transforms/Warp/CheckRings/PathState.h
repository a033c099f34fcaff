// What is known at one point of one way through a role: which slots it holds,
// which products and copies are under way, which memory lacks a fence.
//
// Slots have numbers: those of a ring are numbered in the order in which they
// are acquired, and in which they are waited for. Two states that differ only
// in how many slots have gone by are the same after `normalize`, so that the
// states of a loop are finitely many.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHSTATE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_PATHSTATE_H

#include "dialect/Warp/WarpOps.h"

#include <deque>
#include <map>
#include <set>
#include <tuple>
#include <vector>

namespace tilewright::warp {

/// A tile in shared memory: of slot `turn` of the `warp.ring` `origin`, or that
/// of the `warp.alloc` `origin`.
struct Memory {
  mlir::Operation *origin = nullptr;
  int64_t turn = 0;
  unsigned tile = 0;

  auto key() const { return std::tie(origin, turn, tile); }
  bool operator<(const Memory &other) const { return key() < other.key(); }
  bool operator==(const Memory &other) const { return key() == other.key(); }
};

/// What is known of a value.
struct Known {
  enum Kind {
    Nothing,
    NoSlot,
    SlotToFill,
    SlotToRead,
    TileToFill,
    TileToRead,
    AllocTile,
    /// The sum of the product number `number`.
    Sum,
    Integer,
    /// The counter of a loop in its first iteration, and in the others.
    FirstCounter,
    LaterCounter
  };
  Kind kind = Nothing;
  Memory memory = {};
  int64_t number = 0;

  auto key() const { return std::tie(kind, memory, number); }
  bool operator<(const Known &other) const { return key() < other.key(); }
};

/// How far a role is with a ring, in slots. What a role does not do stays 0.
struct RingProgress {
  bool fills = false, reads = false;
  int64_t acquired = 0, committed = 0, waited = 0, released = 0;

  auto key() const { return std::tie(acquired, committed, waited, released); }
  bool operator<(const RingProgress &other) const {
    return key() < other.key();
  }
};

/// A group of `cp.async` copies that nobody has waited for.
struct CopyGroup {
  /// Null where the ring is no more.
  mlir::Operation *ring;
  int64_t turn;
  /// Whether it has copies that cannot be switched off.
  bool hasCopies;

  auto key() const { return std::tie(ring, turn, hasCopies); }
  bool operator<(const CopyGroup &other) const { return key() < other.key(); }
};

struct PathState {
  std::map<const void *, Known> values;
  std::map<mlir::Operation *, RingProgress> rings;
  /// What copies fill: of slots that are not committed, and of those of
  /// `cp.async` until they are released.
  std::set<Memory> filled;
  std::deque<CopyGroup> copies;
  /// Whether a copy was issued since the last commit.
  bool hasOpenCopies = false;
  /// What each product that may still run reads; the last is number
  /// `numDots - 1`.
  std::deque<std::vector<Memory>> running;
  int64_t numDots = 0;
  /// Stored by threads and not yet to be seen by asynchronous readers, with
  /// whether a fence has passed, so that only a barrier is missing.
  std::map<Memory, bool> written;
  /// Read by threads, without a fence since.
  std::set<Memory> readByThreads;
  /// Memory that `warp.tma_store` goes through, with whether its copies have
  /// been waited for, so that only a barrier is missing.
  std::map<mlir::Operation *, bool> storing;
  /// Such memory whose copies may not have arrived yet.
  std::set<mlir::Operation *> arriving;
  /// Rings of a cluster that other blocks may not have made yet, and those that
  /// they may still be using.
  std::set<mlir::Operation *> unannounced, shared;
  /// Tiles of `warp.alloc` whose content is lost, rings whose slots hold
  /// something else, and what has overwritten them.
  std::map<mlir::Operation *, mlir::Operation *> lost;

  Known get(mlir::Value value) const;
  void set(mlir::Value value, Known known);
  /// Hands what is known of a value on to another name.
  void pass(mlir::Value from, mlir::Value to) { set(to, get(from)); }
  /// Forgets the values that are defined in `region`.
  void leave(mlir::Region &region);

  /// Forgets the slots of a ring that is made anew. What was copied to them
  /// still counts among the groups that a wait leaves.
  void forget(mlir::Operation *ring);
  /// All warps of the role have waited for each other: what was written and
  /// fenced before is seen, and so is that copies of stores are done.
  void synchronize();

  bool isRunning(const Known &sum) const {
    return sum.kind == Known::Sum &&
           sum.number >= numDots - int64_t(running.size());
  }
  bool isRead(const Memory &memory) const;

  void normalize();
  auto key() const {
    return std::tie(values, rings, filled, copies, hasOpenCopies, running,
                    numDots, written, readByThreads, storing, arriving,
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
