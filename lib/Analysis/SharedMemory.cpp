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

/// The bytes of a tile in shared memory. One that came through a block argument
/// may be any.
static SharedUse getTile(Value memory, bool isWrite) {
  if (auto alloc = memory.getDefiningOp<warp::AllocOp>())
    return getAllocated(alloc, isWrite);
  return {0, INT64_MAX, isWrite};
}

SmallVector<SharedUse> tilewright::getSharedUses(Operation *op) {
  if (auto load = dyn_cast<warp::LocalLoadOp>(op))
    return {getTile(load.getMemory(), /*isWrite=*/false)};
  if (auto store = dyn_cast<warp::LocalStoreOp>(op))
    return {getTile(store.getMemory(), /*isWrite=*/true)};
  if (auto alloc = dyn_cast<warp::AllocOp>(op); alloc && !alloc.getSource())
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
