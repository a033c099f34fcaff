// The rules for fills, reads and writes of shared memory.

#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/CheckRings/RuleNames.h"
#include "lib/Transforms/Warp/CheckRings/Scalars.h"
#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

/// Checks that `tile` is of `kind` and that the role still holds its slot.
LogicalResult SlotRules::checkHeld(Operation *op, const Known &tile,
                                   Known::Kind kind) {
  if (kind == Known::TileToRead && tile.kind == Known::TileToFill)
    return reportRule(op, kHeldSlot) << "reads a slot that is held for filling";
  if (tile.kind != kind)
    return reportRule(op, kProvable) << "its shared memory is not known";
  RingProgress &progress = state->rings[tile.memory.origin];
  bool isFilling = kind == Known::TileToFill;
  if (tile.memory.sequence <
      (isFilling ? progress.committed : progress.released))
    return reportRule(op, kHeldSlot)
           << (isFilling ? "fills a slot that has been committed"
                         : "reads a slot that has been released");
  if (!isFilling && progress.fills && !state->filled.count(tile.memory) &&
      getRing(tile.memory).getType().getCompletion() == Completion::AsyncGroups)
    return reportRule(op, kOnce) << "reads a tile that nothing was copied to";
  return success();
}

LogicalResult SlotRules::fill(Operation *op, Value value, Completion by) {
  Known tile = state->get(value);
  if (failed(checkHeld(op, tile, Known::TileToFill)))
    return failure();
  if (getRing(tile.memory).getType().getCompletion() != by)
    return reportRule(op, kArrived)
           << "the ring is not told when such a copy is complete";
  return success();
}

LogicalResult SlotRules::fillOnce(Operation *op, Value tile) {
  if (failed(fill(op, tile, Completion::Transactions)))
    return failure();
  if (!state->filled.insert(state->get(tile).memory).second)
    return reportRule(op, kOnce) << "the tile is filled already";
  return success();
}

LogicalResult SlotRules::visit(TmaLoadOp op) {
  return fillOnce(op, op.getMemory());
}

LogicalResult SlotRules::visit(RingPutScalarOp op) {
  return fillOnce(op, op.getMemory());
}

/// Threads fill such a slot, so reads of it need no fence.
LogicalResult SlotRules::visit(RingGetScalarOp op) {
  return checkHeld(op, state->get(op.getMemory()), Known::TileToRead);
}

LogicalResult SlotRules::visit(AsyncCopyOp op) {
  Value enable = op.getEnable();
  state->hasOpenCopies |= !enable || evaluate(enable, *state) == 1;
  if (failed(fill(op, op.getMemory(), Completion::AsyncGroups)))
    return failure();
  state->filled.insert(state->get(op.getMemory()).memory);
  return success();
}

LogicalResult SlotRules::checkContent(Operation *op, const Memory &memory) {
  auto found = state->lost.find(memory.origin);
  if (found == state->lost.end())
    return success();
  InFlightDiagnostic error = reportRule(op, kContent)
                             << "reads memory that has been overwritten";
  error.attachNote(found->second->getLoc()) << "by this";
  return error;
}

/// Checks and records a read by threads.
LogicalResult SlotRules::read(Operation *op, Value value) {
  Known tile = state->get(value);
  if (tile.kind == Known::AllocTile)
    return checkContent(op, tile.memory);
  if (failed(checkHeld(op, tile, Known::TileToRead)))
    return failure();
  state->readByThreads.insert(tile.memory);
  return success();
}

/// Checks a read by the tensor cores and adds it to `reads`.
LogicalResult SlotRules::readAsynchronously(Operation *op, Value value,
                                            std::vector<Memory> &reads) {
  Known tile = state->get(value);
  if (failed(tile.kind == Known::AllocTile
                 ? checkContent(op, tile.memory)
                 : checkHeld(op, tile, Known::TileToRead)))
    return failure();
  reads.push_back(tile.memory);
  auto written = state->written.find(tile.memory);
  if (written == state->written.end())
    return success();
  return reportRule(op, kFenceBeforeWgmma)
         << (written->second
                 ? "no barrier separates the fence after the writes of threads "
                   "from this wgmma"
                 : "threads have written its operand, and no warp.proxy_fence "
                   "makes that visible to the tensor cores");
}

/// Records that the memory of `origin`, a tile, a ring or scratch, changes. The
/// content of overlapping memory is lost.
LogicalResult SlotRules::overwrite(Operation *op, Operation *origin) {
  auto range =
      [](Operation *piece) -> std::optional<std::pair<int64_t, int64_t>> {
    auto offset =
        piece->getAttrOfType<IntegerAttr>(WarpDialect::kSharedOffsetAttr);
    if (!offset)
      return std::nullopt;
    return std::pair(offset.getInt(), offset.getInt() + getSharedBytes(piece));
  };
  auto own = range(origin);
  auto isHit = [&](Operation *other) {
    auto hit = other == origin ? std::nullopt : range(other);
    return own && hit && own->first < hit->second && hit->first < own->second;
  };
  for (const auto &[value, known] : state->values)
    if (known.kind == Known::AllocTile && isHit(known.memory.origin))
      state->lost.try_emplace(known.memory.origin, op);
  for (const std::vector<Memory> &reads : state->running)
    for (const Memory &memory : reads)
      if (isHit(memory.origin) ||
          (memory.origin == origin && isa<AllocOp>(origin)))
        return reportRule(op, kWgmmaDone)
               << "writes memory that a pending wgmma reads";
  auto store = dyn_cast<TmaStoreOp>(op);
  bool waits = store && !store.getFirst();
  for (const auto &[staging, isWaitedFor] : state->storing)
    if (isHit(staging) || (staging == origin && !waits))
      return reportRule(op, kStores)
             << (isWaitedFor
                     ? "writes memory without a barrier after the wait for "
                       "copies from it"
                     : "writes memory that copies of a store may still read");
  for (const CopyGroup &group : state->copies)
    if (group.ring && group.hasCopies && isHit(group.ring))
      return reportRule(op, kContent)
             << "writes memory that pending copies write";
  for (const auto &[ring, progress] : state->rings)
    if (isHit(ring) && (progress.waited != progress.released ||
                        progress.acquired != progress.committed))
      return reportRule(op, kContent) << "writes memory of a slot that is held";
  // Another role may be filling slots that this one waits for later.
  for (RingOp ring : rings)
    if (isHit(ring))
      state->lost.try_emplace(ring, op);
  return success();
}

/// Checks and records a write by threads.
LogicalResult SlotRules::store(Operation *op, Value value) {
  Known tile = state->get(value);
  if (tile.kind != Known::AllocTile)
    return reportRule(op, kHeldSlot)
           << "threads write to shared memory that is not a warp.alloc";
  state->lost.erase(tile.memory.origin);
  state->written[tile.memory] = false;
  return overwrite(op, tile.memory.origin);
}

LogicalResult SlotRules::visit(AllocOp op) {
  state->set(op.getResult(), {Known::AllocTile, {op, 0, 0}});
  state->lost.erase(op);
  return op.getSource() ? store(op, op.getResult()) : success();
}

//===----------------------------------------------------------------------===//
// Wgmma
//===----------------------------------------------------------------------===//

LogicalResult SlotRules::visit(WgmmaOp op) {
  std::vector<Memory> reads;
  for (Value operand : llvm::reverse(op.getMultiplicands()))
    if (isa<SharedType>(operand.getType()) &&
        failed(readAsynchronously(op, operand, reads)))
      return failure();
  llvm::sort(reads);
  state->running.push_back(std::move(reads));
  for (Value result : op.getResults())
    state->set(result, {Known::Accumulator, {}, state->numWgmmas});
  ++state->numWgmmas;
  return success();
}

LogicalResult SlotRules::visit(WgmmaWaitOp op) {
  while (state->running.size() > op.getPendings())
    state->running.pop_front();
  for (auto [acc, result] :
       llvm::zip_equal(op.getAccumulators(), op.getResults()))
    state->pass(acc, result);
  return success();
}

bool SlotRules::takesPendingAccumulator(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto wgmma = dyn_cast<WgmmaOp>(op))
    return bool(wgmma.getTiedResult(operand));
  return isa<WgmmaWaitOp, LoopLikeOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult SlotRules::checkAccumulators(Operation *op,
                                           const PathState &state) {
  if (state.running.empty())
    return success();
  for (OpOperand &operand : op->getOpOperands())
    if (state.isRunning(state.get(operand.get())) &&
        !takesPendingAccumulator(operand))
      return reportRule(op, kUntouched)
             << "uses the accumulator of a pending wgmma";
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (failed(checkAccumulators(&inner, state)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// A store waits for earlier stores through the same buffer.
LogicalResult SlotRules::visit(TmaStoreOp op) {
  Known staging = state->get(op.getStaging());
  if (staging.kind != Known::AllocTile)
    return reportRule(op, kProvable) << "its shared memory is not known";
  Operation *memory = staging.memory.origin;
  if (failed(overwrite(op, memory)))
    return failure();
  state->lost.erase(memory);
  state->storing[memory] = false;
  state->arriving.insert(memory);
  return success();
}

LogicalResult SlotRules::visit(TmaStoreWaitOp op) {
  Operation *memory = state->get(op.getStaging()).memory.origin;
  auto found = state->storing.find(memory);
  if (found != state->storing.end())
    found->second = true;
  if (op.getArrived())
    state->arriving.erase(memory);
  return success();
}
