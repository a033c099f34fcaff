// The rules for rings: who takes, fills, waits for and gives back which slot.

#include "lib/Transforms/Warp/CheckRings/RuleNames.h"
#include "lib/Transforms/Warp/CheckRings/Scalars.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// The number of the role that `op` stands in; -1 outside of roles.
static int64_t getRoleNumber(Operation *op) {
  auto role = SpecializeOp::getRole(op->getBlock());
  return role ? int64_t(role->second) : -1;
}

/// How far this role is with `ring`. Null, with an error, if nothing is known
/// of the ring.
RingProgress *SlotRules::findRing(Operation *op, RingOp ring) {
  if (!ring) {
    reportRule(op, kProvable)
        << "its ring is not the result of a warp.ring in sight";
    return nullptr;
  }
  auto [entry, isNew] = state->rings.try_emplace(ring);
  if (isNew)
    for (Operation *user : ring->getUsers())
      if (getRoleNumber(user) == getRoleNumber(op)) {
        entry->second.fills |= isa<RingAcquireOp>(user);
        entry->second.reads |= isa<RingWaitOp>(user);
      }
  return &entry->second;
}

/// Uses a ring that may belong to a cluster.
LogicalResult SlotRules::shareRing(Operation *op, RingOp ring) {
  if (state->unannounced.count(ring))
    return reportRule(op, kClusterMeets)
           << "other blocks may not have made the ring yet, for no "
              "warp.cluster_barrier stands behind it";
  if (ring.getType().getClusterSize() > 1)
    state->shared.insert(ring);
  return success();
}

/// The index of a ring whose slots the code counts itself.
LogicalResult SlotRules::checkIndex(Operation *op, Value index, RingOp ring,
                                    int64_t turn) {
  if (!index)
    return success();
  int64_t expected = turn % ring.getType().getNumSlots();
  auto found = evaluate(index, *state);
  if (!found)
    return reportRule(op, kProvable) << "the index of its slot is not known, "
                                     << expected << " is expected";
  if (*found != expected)
    return reportRule(op, kInTurn)
           << "takes slot " << *found << " where it is the turn of slot "
           << expected;
  return success();
}

/// Binds the results of an op that gives a slot.
void SlotRules::nameSlot(Operation *op, Known::Kind slot, Known::Kind tile,
                         RingOp ring, int64_t turn) {
  state->set(op->getResult(0), {slot, {ring, turn, 0}});
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    state->set(op->getResult(i), {tile, {ring, turn, i - 1}});
}

LogicalResult SlotRules::visit(RingOp op) {
  if (op.getType().getClusterSize() > 1)
    state->unannounced.insert(op);
  state->lost.erase(op);
  auto found = state->rings.find(op);
  if (found == state->rings.end())
    return success();
  const RingProgress &progress = found->second;
  if (progress.acquired != progress.committed ||
      progress.waited != progress.released)
    return reportRule(op, kHeldSlot)
           << "makes the ring anew while a slot of it is held";
  state->forget(op);
  return success();
}

LogicalResult SlotRules::visit(RingAcquireOp op) {
  auto ring = op.getRing().getDefiningOp<RingOp>();
  RingProgress *progress = findRing(op, ring);
  if (!progress || failed(shareRing(op, ring)) ||
      failed(checkIndex(op, op.getIndex(), ring, progress->acquired)))
    return failure();
  int64_t turn = progress->acquired++, numSlots = ring.getType().getNumSlots();
  int64_t taken =
      turn - (progress->reads ? progress->released : progress->committed);
  if (taken >= numSlots)
    return reportRule(op, kComes)
           << "all " << numSlots
           << " slots of the ring are in use, and only this role can give one "
              "back";
  nameSlot(op, Known::SlotToFill, Known::TileToFill, ring, turn);
  return progress->reads ? overwrite(op, ring) : success();
}

LogicalResult SlotRules::visit(RingCommitOp op) {
  Known slot = state->get(op.getSlot());
  if (slot.kind != Known::SlotToFill)
    return reportRule(op, kProvable) << "its slot is not known";
  RingOp ring = getRing(slot.memory);
  RingProgress &progress = state->rings[ring];
  if (slot.memory.turn < progress.committed)
    return reportRule(op, kHeldSlot) << "its slot has been committed before";
  if (slot.memory.turn > progress.committed)
    return reportRule(op, kInTurn)
           << "a slot that was acquired before is not committed yet";
  ++progress.committed;
  if (ring.getType().getCompletion() == Completion::AsyncGroups) {
    state->copies.push_back({ring, slot.memory.turn, state->hasOpenCopies});
    state->hasOpenCopies = false;
    return success();
  }
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i)
    if (state->filled.erase({ring, slot.memory.turn, i}) == 0)
      return reportRule(op, kOnce)
             << "tile " << i
             << " of the slot is not filled, and its consumers would wait for "
                "ever";
  return success();
}

LogicalResult SlotRules::visit(RingWaitOp op) {
  auto ring = op.getRing().getDefiningOp<RingOp>();
  RingProgress *progress = findRing(op, ring);
  if (!progress || failed(shareRing(op, ring)) ||
      failed(checkIndex(op, op.getIndex(), ring, progress->waited)) ||
      (!progress->fills && failed(checkContent(op, {ring}))))
    return failure();
  int64_t turn = progress->waited++, numSlots = ring.getType().getNumSlots();
  if (progress->fills && turn >= progress->committed)
    return reportRule(op, kComes) << "waits for a slot that nobody has filled";
  if (turn - progress->released >= numSlots)
    return reportRule(op, kComes)
           << "holds all " << numSlots << " slots of the ring already";
  nameSlot(op, Known::SlotToRead, Known::TileToRead, ring, turn);
  if (ring.getType().getCompletion() != Completion::AsyncGroups)
    return success();
  while (state->copies.size() > op.getPending())
    state->copies.pop_front();
  for (const CopyGroup &group : state->copies)
    if (group.ring == ring && group.turn == turn)
      return reportRule(op, kArrived)
             << "the copies to the slot may be among the " << op.getPending()
             << " groups that are not waited for";
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i)
    state->written[{ring, turn, i}] = false;
  return success();
}

/// Other teams hold the slots that are passed by, so this one needs to hold
/// none: it gives back what it waited for in turn.
LogicalResult SlotRules::visit(RingSkipOp op) {
  auto ring = op.getRing().getDefiningOp<RingOp>();
  RingProgress *progress = findRing(op, ring);
  if (!progress || failed(shareRing(op, ring)))
    return failure();
  if (progress->waited != progress->released)
    return reportRule(op, kInTurn)
           << "passes slots by while one that was waited for is not given back";
  return success();
}

LogicalResult SlotRules::visit(RingReleaseOp op, bool released) {
  Known slot = state->get(op.getSlot());
  if (slot.kind != Known::SlotToRead && slot.kind != Known::NoSlot)
    return reportRule(op, kProvable) << "its slot is not known";
  if (released != (slot.kind == Known::SlotToRead))
    return reportRule(op, kHeldSlot)
           << (released ? "no slot is held here"
                        : "a slot is held, but the condition is false");
  if (!released)
    return success();
  RingOp ring = getRing(slot.memory);
  RingProgress &progress = state->rings[ring];
  if (slot.memory.turn < progress.released)
    return reportRule(op, kHeldSlot) << "its slot has been given back before";
  if (slot.memory.turn > progress.released)
    return reportRule(op, kInTurn)
           << "a slot that was waited for before is not given back yet";
  ++progress.released;
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i) {
    Memory memory{ring, slot.memory.turn, i};
    if (state->isRead(memory))
      return reportRule(op, kDots)
             << "a product that has not been waited for reads tile " << i
             << " of the slot";
    if (state->readByThreads.erase(memory) &&
        ring.getType().getCompletion() == Completion::Transactions)
      return reportRule(op, kFenceBeforeRelease)
             << "threads have read tile " << i
             << " of the slot, and no warp.proxy_fence orders that before the "
                "next copy to it";
    state->written.erase(memory);
    state->filled.erase(memory);
  }
  return success();
}
