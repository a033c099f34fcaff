// The rules for rings: acquire, commit, wait and release of slots.

#include "lib/Transforms/Warp/CheckRings/RuleNames.h"
#include "lib/Transforms/Warp/CheckRings/Scalars.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Returns the index of the role that contains `op`; -1 outside of roles.
static int64_t getRoleNumber(Operation *op) {
  auto role = SpecializeOp::getRole(op->getBlock());
  return role ? int64_t(role->second) : -1;
}

/// Returns the progress of this role on `ring`. Null, with an error, if the
/// ring is not known.
RingProgress *SlotRules::findRing(Operation *op, RingOp ring) {
  if (!ring) {
    reportRule(op, kProvable)
        << "its ring is not the result of a visible warp.ring";
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

/// Records the use of a ring that may belong to a cluster.
LogicalResult SlotRules::shareRing(Operation *op, RingOp ring) {
  if (state->unannounced.count(ring))
    return reportRule(op, kClusterMeets)
           << "other CTAs may not have initialized the ring yet: no "
              "warp.cluster_barrier follows it";
  if (ring.getType().getClusterSize() > 1)
    state->shared.insert(ring);
  return success();
}

/// Checks the slot index of a ring whose slots the code counts itself.
LogicalResult SlotRules::checkIndex(Operation *op, Value index, RingOp ring,
                                    int64_t sequence) {
  if (!index)
    return success();
  int64_t expected = sequence % ring.getType().getNumSlots();
  auto found = evaluate(index, *state);
  if (!found)
    return reportRule(op, kProvable) << "the index of its slot is not known, "
                                     << expected << " is expected";
  if (*found != expected)
    return reportRule(op, kInOrder) << "takes slot " << *found << ", but slot "
                                    << expected << " is next";
  return success();
}

/// Records the results of an op that returns a slot.
void SlotRules::nameSlot(Operation *op, Known::Kind slot, Known::Kind tile,
                         RingOp ring, int64_t sequence) {
  state->set(op->getResult(0), {slot, {ring, sequence, 0}});
  for (unsigned i = 1; i < op->getNumResults(); ++i)
    state->set(op->getResult(i), {tile, {ring, sequence, i - 1}});
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
  int64_t sequence = progress->acquired++;
  int64_t numSlots = ring.getType().getNumSlots();
  int64_t taken =
      sequence - (progress->reads ? progress->released : progress->committed);
  if (taken >= numSlots)
    return reportRule(op, kComes)
           << "all " << numSlots
           << " slots of the ring are in use, and only this role can release "
              "one";
  nameSlot(op, Known::SlotToFill, Known::TileToFill, ring, sequence);
  return progress->reads ? overwrite(op, ring) : success();
}

LogicalResult SlotRules::visit(RingCommitOp op) {
  Known slot = state->get(op.getSlot());
  if (slot.kind != Known::SlotToFill)
    return reportRule(op, kProvable) << "its slot is not known";
  RingOp ring = getRing(slot.memory);
  RingProgress &progress = state->rings[ring];
  if (slot.memory.sequence < progress.committed)
    return reportRule(op, kHeldSlot) << "its slot has been committed already";
  if (slot.memory.sequence > progress.committed)
    return reportRule(op, kInOrder)
           << "a slot that was acquired earlier is not committed yet";
  ++progress.committed;
  if (ring.getType().getCompletion() == Completion::AsyncGroups) {
    state->copies.push_back({ring, slot.memory.sequence, state->hasOpenCopies});
    state->hasOpenCopies = false;
    return success();
  }
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i)
    if (state->filled.erase({ring, slot.memory.sequence, i}) == 0)
      return reportRule(op, kOnce) << "tile " << i
                                   << " of the slot is not filled, so its "
                                      "consumers would wait forever";
  return success();
}

LogicalResult SlotRules::visit(RingWaitOp op) {
  auto ring = op.getRing().getDefiningOp<RingOp>();
  RingProgress *progress = findRing(op, ring);
  if (!progress || failed(shareRing(op, ring)) ||
      failed(checkIndex(op, op.getIndex(), ring, progress->waited)) ||
      (!progress->fills && failed(checkContent(op, {ring}))))
    return failure();
  int64_t sequence = progress->waited++;
  int64_t numSlots = ring.getType().getNumSlots();
  if (progress->fills && sequence >= progress->committed)
    return reportRule(op, kComes)
           << "waits for a slot that has not been filled";
  if (sequence - progress->released >= numSlots)
    return reportRule(op, kComes)
           << "holds all " << numSlots << " slots of the ring already";
  nameSlot(op, Known::SlotToRead, Known::TileToRead, ring, sequence);
  if (ring.getType().getCompletion() != Completion::AsyncGroups)
    return success();
  while (state->copies.size() > op.getPending())
    state->copies.pop_front();
  for (const CopyGroup &group : state->copies)
    if (group.ring == ring && group.sequence == sequence)
      return reportRule(op, kArrived)
             << "the copies to the slot may be among the " << op.getPending()
             << " groups that are not waited for";
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i)
    state->written[{ring, sequence, i}] = false;
  return success();
}

/// Other ping-pong groups hold the skipped slots. So this group must not hold
/// any, or it would release slots out of order.
LogicalResult SlotRules::visit(RingSkipOp op) {
  auto ring = op.getRing().getDefiningOp<RingOp>();
  RingProgress *progress = findRing(op, ring);
  if (!progress || failed(shareRing(op, ring)))
    return failure();
  if (progress->waited != progress->released)
    return reportRule(op, kInOrder)
           << "skips slots while one that was waited for is not released";
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
  if (slot.memory.sequence < progress.released)
    return reportRule(op, kHeldSlot) << "its slot has been released already";
  if (slot.memory.sequence > progress.released)
    return reportRule(op, kInOrder)
           << "a slot that was waited for earlier is not released yet";
  ++progress.released;
  for (unsigned i = 0; i < ring.getType().getTiles().size(); ++i) {
    Memory memory{ring, slot.memory.sequence, i};
    if (state->isRead(memory))
      return reportRule(op, kWgmmaDone)
             << "a pending wgmma reads tile " << i << " of the slot";
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
