// The steps that roles take with the slots of rings, against each other: each
// goes on until it has to wait for another one.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H

#include "dialect/Warp/WarpOps.h"

#include <deque>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace tilewright::warp {

/// What a role does with a ring, or how it passes the turn.
struct Step {
  mlir::Operation *op;
  /// Null for turns.
  mlir::Operation *ring;
  /// The slots that are passed by.
  int64_t count = 1;
};

/// A role, or one of its teams, which goes through the role on its own.
struct Actor {
  unsigned role, team;
  std::vector<Step> steps;
  size_t at = 0;

  bool isDone() const { return at == steps.size(); }
  const Step &next() const { return steps[at]; }
};

/// What is wrong with how they pass slots, and turns.
struct Complaint {
  mlir::Operation *op;
  std::string text;
};

class RolePlay {
public:
  /// Makes `ring` known, which `op` of that role passes slots of.
  void add(RingOp ring, mlir::Operation *op, SpecializeOp roles, unsigned role);
  int64_t getMostSlots() const { return mostSlots; }

  /// Plays all steps of `actors`. All that is filled has to be read, by one
  /// team of each role that reads the ring, and each turn that is passed taken.
  std::optional<Complaint> play(std::vector<Actor> &actors, SpecializeOp roles);

private:
  /// How far a role is that reads a ring.
  struct Reader {
    /// The slot in turn of each team.
    std::vector<int64_t> next;
    /// What each team has waited for and not given back.
    std::vector<std::deque<int64_t>> held;
    /// The slots that some team has waited for, and those it has given back.
    std::set<int64_t> waited, released;

    void reset() {
      next.assign(next.size(), 0);
      held.assign(next.size(), {});
      waited.clear();
      released.clear();
    }
  };

  /// How far all roles are with a ring.
  struct RingCounts {
    int64_t numSlots = 0, acquired = 0, committed = 0;
    std::map<unsigned, Reader> readers;

    /// Whether the slot that the producer takes next is empty, or the one
    /// `ahead` of it.
    bool isEmpty(int64_t ahead) const {
      int64_t before = acquired + ahead - numSlots;
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
  bool advanceTurn(const Actor &actor);
  std::optional<Complaint> checkReader(mlir::Operation *op,
                                       const RingCounts &ring,
                                       const Reader &reader) const;
  std::optional<Complaint> checkEnd(llvm::ArrayRef<Actor> actors,
                                    SpecializeOp roles) const;

  std::map<mlir::Operation *, RingCounts> rings;
  /// How often the turn of each team has been passed to it and not been taken.
  std::vector<int64_t> passed;
  int64_t mostSlots = 0;
};

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_ROLEPLAY_H
