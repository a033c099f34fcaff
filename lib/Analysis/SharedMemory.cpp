#include "lib/Analysis/SharedMemory.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/ScratchMemory.h"

using namespace mlir;
using namespace tilewright;

static int64_t getTileBytes(warp::SharedType type) {
  int64_t elements = 1;
  for (int64_t size : type.getShape())
    elements *= size;
  return elements * warp::getElementBytes(type.getElementType());
}

int64_t tilewright::getSharedBytes(Operation *op) {
  if (auto alloc = dyn_cast<warp::AllocOp>(op))
    return getTileBytes(alloc.getType());
  if (auto ring = dyn_cast<warp::RingOp>(op))
    return ring.getType().getSizeInBytes();
  return getScratchBytes(op);
}

bool tilewright::usesScratch(Operation *op) { return getScratchBytes(op) != 0; }

/// The bytes that `op` was given.
static SharedUse getAllocated(Operation *op, bool isWrite) {
  auto offset =
      op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kSharedOffsetAttr);
  // What is not allocated yet may be anywhere.
  if (!offset)
    return {0, INT64_MAX, isWrite};
  return {offset.getInt(), offset.getInt() + getSharedBytes(op), isWrite};
}

/// The access to a slot of `ring`, a value. A ring that came through a block
/// argument may be any.
static SharedUse getSlot(Value ring, RingAccess access) {
  bool isWrite = access != RingAccess::Read;
  auto op = ring.getDefiningOp<warp::RingOp>();
  if (!op)
    return {0, INT64_MAX, isWrite};
  SharedUse use = getAllocated(op, isWrite);
  use.ring = op;
  use.access = access;
  return use;
}

/// The access to a tile in shared memory. One that came through a block
/// argument may be any.
static SharedUse getTile(Value memory, bool isWrite) {
  if (auto alloc = memory.getDefiningOp<warp::AllocOp>())
    return getAllocated(alloc, isWrite);
  if (auto acquire = memory.getDefiningOp<warp::RingAcquireOp>();
      acquire && isWrite)
    return getSlot(acquire.getRing(), RingAccess::Fill);
  if (auto wait = memory.getDefiningOp<warp::RingWaitOp>(); wait && !isWrite)
    return getSlot(wait.getRing(), RingAccess::Read);
  return {0, INT64_MAX, isWrite};
}

SmallVector<SharedUse> tilewright::getSharedUses(Operation *op) {
  if (auto load = dyn_cast<warp::LocalLoadOp>(op))
    return {getTile(load.getMemory(), /*isWrite=*/false)};
  if (auto store = dyn_cast<warp::LocalStoreOp>(op))
    return {getTile(store.getMemory(), /*isWrite=*/true)};
  if (auto copy = dyn_cast<warp::AsyncCopyOp>(op))
    return {getTile(copy.getMemory(), /*isWrite=*/true)};
  if (auto wait = dyn_cast<warp::RingWaitOp>(op))
    return {getSlot(wait.getRing(), RingAccess::Wait)};
  if (auto alloc = dyn_cast<warp::AllocOp>(op); alloc && !alloc.getSource())
    return {};
  if (isa<warp::RingOp>(op))
    return {};
  if (getSharedBytes(op))
    return {getAllocated(op, /*isWrite=*/true)};
  return {};
}

SmallVector<SharedUse> tilewright::getUsesAfter(Operation *op) {
  if (usesScratch(op))
    return {getAllocated(op, /*isWrite=*/false)};
  return getSharedUses(op);
}

bool tilewright::synchronizes(Operation *op) {
  return isa<warp::BarrierOp>(op) || usesScratch(op);
}
