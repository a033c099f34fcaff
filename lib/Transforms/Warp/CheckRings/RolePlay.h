// Simulates the ring operations of all roles together. Each role runs until it
// has to wait for another one.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H

#include "dialect/Warp/WarpOps.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewright::warp {

/// An operation of a role on a ring, or a ping-pong wait or pass.
struct Step {
  mlir::Operation *op;
  /// Null for ping-pong ops.
  mlir::Operation *ring;
  /// The number of skipped slots.
  int64_t count = 1;
};

/// A role, or one of its ping-pong groups, each of which runs the whole role.
struct Actor {
  unsigned role, group;
  std::vector<Step> steps;
  size_t at = 0;

  bool isDone() const { return at == steps.size(); }
  const Step &next() const { return steps[at]; }
};

/// An error in the order of ring or ping-pong operations.
struct Complaint {
  mlir::Operation *op;
  std::string text;
};

class RolePlay {
public:
  /// Registers `ring`, of which `op` in role `role` passes slots.
  void add(RingOp ring, mlir::Operation *op, SpecializeOp roles, unsigned role);
  int64_t getMostSlots() const { return mostSlots; }

  /// Simulates all steps of `actors`. Returns an error unless one group of each
  /// role that reads a ring waits for each filled slot, and each pass has a
  /// wait.
  std::optional<Complaint> play(std::vector<Actor> &actors, SpecializeOp roles);

private:
  /// The progress of a role that reads a ring.
  struct Reader {
    /// The next slot of each group.
    std::vector<int64_t> next;
    /// The slots that each group has waited for and not released.
    std::vector<std::deque<int64_t>> held;
    /// The slots that some group has waited for, and those that it has
    /// released.
    std::set<int64_t> waited, released;

    void reset() {
      next.assign(next.size(), 0);
      held.assign(next.size(), {});
      waited.clear();
      released.clear();
    }
  };

  /// The progress of all roles on a ring.
  struct RingCounts {
    int64_t numSlots = 0, acquired = 0, committed = 0;
    std::map<unsigned, Reader> readers;

    /// Whether the slot that comes `distance` slots after the next one of the
    /// producer is empty.
    bool isEmpty(int64_t distance) const {
      int64_t before = acquired + distance - numSlots;
      if (before < 0)
        return true;
      return !readers.empty() && llvm::all_of(readers, [&](const auto &entry) {
        return entry.second.released.count(before);
      });
    }
    void reset() {
      acquired = committed = 0;
      for (auto &[role, reader] : readers)
        reader.reset();
    }
  };

  bool advance(const Actor &actor);
  bool advancePingPong(const Actor &actor);
  std::optional<Complaint> checkReader(mlir::Operation *op,
                                       const RingCounts &ring,
                                       const Reader &reader) const;
  std::optional<Complaint> checkEnd(llvm::ArrayRef<Actor> actors,
                                    SpecializeOp roles) const;

  std::map<mlir::Operation *, RingCounts> rings;
  /// The passes to each group without a wait yet.
  std::vector<int64_t> passed;
  int64_t mostSlots = 0;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H
