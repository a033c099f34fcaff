#include "lib/Transforms/Warp/CheckRings/RolePlay.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Runs a ping-pong step of a group. Returns false if it has to wait.
bool RolePlay::advancePingPong(const Actor &actor) {
  if (isa<PingPongPassOp>(actor.next().op)) {
    ++passed[(actor.group + 1) % passed.size()];
    return true;
  }
  if (passed[actor.group] == 0)
    return false;
  --passed[actor.group];
  return true;
}

/// Runs a step of a role. Returns false if it has to wait.
bool RolePlay::advance(const Actor &actor) {
  const Step &step = actor.next();
  if (!step.ring)
    return advancePingPong(actor);
  RingCounts &ring = rings[step.ring];
  if (auto acquire = dyn_cast<RingAcquireOp>(step.op)) {
    // A conditionally throttled acquire counts as throttled.
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
  int64_t &slot = reader.next[actor.group];
  std::deque<int64_t> &held = reader.held[actor.group];
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

/// Checks that `reader` has read all filled slots: each of its groups has
/// passed all of them, and one group has waited for each.
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
                                    ? "ping-pong group that reads it passes "
                                    : "role that reads it waits for ") +
                               std::to_string(count) + " slots"};
  if (int64_t(reader.waited.size()) != ring.committed)
    return Complaint{op, filled +
                             "role whose ping-pong groups read it waits for " +
                             std::to_string(reader.waited.size()) + " slots"};
  return std::nullopt;
}

/// Checks the final state, in which no actor can proceed.
std::optional<Complaint> RolePlay::checkEnd(ArrayRef<Actor> actors,
                                            SpecializeOp roles) const {
  for (const Actor &actor : actors)
    if (!actor.isDone())
      return Complaint{actor.next().op,
                       actor.next().ring
                           ? "waits for a slot that never comes"
                           : "waits for a warp.pingpong_pass that "
                             "never comes"};
  for (const auto &[op, ring] : rings)
    for (const auto &[role, reader] : ring.readers)
      if (auto complaint = checkReader(op, ring, reader))
        return complaint;
  if (llvm::any_of(passed, [](int64_t count) { return count != 0; }))
    return Complaint{roles, "a warp.pingpong_pass has no warp.pingpong_wait"};
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
                           "runs warp.pingpong_pass twice before the next "
                           "group waits"};
      }
  }
  return checkEnd(actors, roles);
}
