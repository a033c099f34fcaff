#include "lib/Transforms/Warp/CheckRings/RolePlay.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Takes a step of a team with the turn, unless it has to wait.
bool RolePlay::advanceTurn(const Actor &actor) {
  if (isa<PingPongPassOp>(actor.next().op)) {
    ++passed[(actor.team + 1) % passed.size()];
    return true;
  }
  if (passed[actor.team] == 0)
    return false;
  --passed[actor.team];
  return true;
}

/// Takes a step of a role, unless it has to wait.
bool RolePlay::advance(const Actor &actor) {
  const Step &step = actor.next();
  if (!step.ring)
    return advanceTurn(actor);
  RingCounts &ring = rings[step.ring];
  if (auto acquire = dyn_cast<RingAcquireOp>(step.op)) {
    // Where it is not always throttled, it is taken to be.
    if (!ring.isEmpty(acquire.getThrottled() ? 1 : 0))
      return false;
    ++ring.acquired;
    return true;
  }
  if (isa<RingCommitOp>(step.op)) {
    ++ring.committed;
    return true;
  }
  Reader &reader = ring.readers[actor.role];
  int64_t &slot = reader.next[actor.team];
  std::deque<int64_t> &held = reader.held[actor.team];
  if (isa<RingSkipOp>(step.op)) {
    slot += step.count;
  } else if (isa<RingWaitOp>(step.op)) {
    if (slot >= ring.committed || !reader.waited.insert(slot).second)
      return false;
    held.push_back(slot++);
  } else if (!held.empty()) {
    reader.released.insert(held.front());
    held.pop_front();
  }
  return true;
}

/// Whether all that was filled has been read by `reader`: each of its teams has
/// passed all slots, and one has waited for each.
std::optional<Complaint> RolePlay::checkReader(Operation *op,
                                               const RingCounts &ring,
                                               const Reader &reader) const {
  std::string filled =
      "is filled " + std::to_string(ring.committed) + " times, and a ";
  bool hasPingPongGroups = reader.next.size() > 1;
  for (int64_t count : reader.next)
    if (count != ring.committed)
      return Complaint{op, filled +
                               (hasPingPongGroups
                                    ? "team that reads it passes "
                                    : "role that reads it waits for ") +
                               std::to_string(count) + " slots"};
  if (int64_t(reader.waited.size()) != ring.committed)
    return Complaint{op, filled + "role whose teams read it waits for " +
                             std::to_string(reader.waited.size()) + " slots"};
  return std::nullopt;
}

/// What is wrong where nobody goes on.
std::optional<Complaint> RolePlay::checkEnd(ArrayRef<Actor> actors,
                                            SpecializeOp roles) const {
  for (const Actor &actor : actors)
    if (!actor.isDone())
      return Complaint{actor.next().op,
                       actor.next().ring ? "waits for a slot that never comes"
                                         : "waits for a turn that never comes"};
  for (const auto &[op, ring] : rings)
    for (const auto &[role, reader] : ring.readers)
      if (auto complaint = checkReader(op, ring, reader))
        return complaint;
  if (llvm::any_of(passed, [](int64_t count) { return count != 0; }))
    return Complaint{roles, "a team passes a turn that nobody waits for"};
  return std::nullopt;
}

void RolePlay::add(RingOp ring, Operation *op, SpecializeOp roles,
                   unsigned role) {
  int64_t numSlots = ring.getType().getNumSlots();
  RingCounts &counts = rings[ring];
  counts.numSlots = numSlots;
  mostSlots = std::max(mostSlots, numSlots);
  if (isa<RingWaitOp>(op))
    counts.readers[role].next.resize(roles.getNumPingPongGroups(role));
}

std::optional<Complaint> RolePlay::play(std::vector<Actor> &actors,
                                        SpecializeOp roles) {
  for (auto &[op, ring] : rings)
    ring.reset();
  passed.assign(roles.getPingPongGroups(), 0);
  for (bool moves = true; moves;) {
    moves = false;
    for (Actor &actor : actors)
      while (!actor.isDone() && advance(actor)) {
        ++actor.at;
        moves = true;
        if (llvm::any_of(passed, [](int64_t count) { return count > 1; }))
          return Complaint{actor.steps[actor.at - 1].op,
                           "passes the turn twice before it is taken"};
      }
  }
  return checkEnd(actors, roles);
}
