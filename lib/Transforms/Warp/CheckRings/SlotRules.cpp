#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "lib/Analysis/SharedMemory.h"
#include "lib/Transforms/Warp/CheckRings/Scalars.h"

#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

InFlightDiagnostic warp::reportRule(Operation *op, StringRef rule) {
  return op->emitError("rule '") << rule << "' is broken: ";
}

static constexpr StringLiteral kHeldSlot = "held slot", kInTurn = "in turn",
                               kOnce = "filled once", kComes = "slot comes",
                               kArrived = "copies arrived",
                               kProducts = "products done",
                               kUntouched = "sums untouched",
                               kFenceBeforeRelease = "fence before release",
                               kFenceBeforeProduct = "fence before product",
                               kContent = "memory kept",
                               kStores = "stores done",
                               kClusterMeets = "cluster meets",
                               kProvable = "provable";

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

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
      failed(checkIndex(op, op.getIndex(), ring, progress->waited)))
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
      return reportRule(op, kProducts)
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

//===----------------------------------------------------------------------===//
// Accesses
//===----------------------------------------------------------------------===//

/// Whether the role still holds the slot of `tile`, which has to be of `kind`.
LogicalResult SlotRules::checkHeld(Operation *op, const Known &tile,
                                   Known::Kind kind) {
  if (kind == Known::TileToRead && tile.kind == Known::TileToFill)
    return reportRule(op, kHeldSlot) << "reads a slot that is held for filling";
  if (tile.kind != kind)
    return reportRule(op, kProvable) << "its shared memory is not known";
  RingProgress &progress = state->rings[tile.memory.origin];
  bool isFilling = kind == Known::TileToFill;
  if (tile.memory.turn < (isFilling ? progress.committed : progress.released))
    return reportRule(op, kHeldSlot)
           << (isFilling ? "fills a slot that has been committed"
                         : "reads a slot that has been given back");
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

LogicalResult SlotRules::visit(TmaLoadOp op) {
  if (failed(fill(op, op.getMemory(), Completion::Transactions)))
    return failure();
  if (!state->filled.insert(state->get(op.getMemory()).memory).second)
    return reportRule(op, kOnce) << "the tile is filled already";
  return success();
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

/// A read by threads.
LogicalResult SlotRules::read(Operation *op, Value value) {
  Known tile = state->get(value);
  if (tile.kind == Known::AllocTile)
    return checkContent(op, tile.memory);
  if (failed(checkHeld(op, tile, Known::TileToRead)))
    return failure();
  state->readByThreads.insert(tile.memory);
  return success();
}

/// A read by the tensor cores, which is added to `reads`.
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
  return reportRule(op, kFenceBeforeProduct)
         << (written->second
                 ? "no barrier stands between the fence of what threads have "
                   "written and this product"
                 : "threads have written its operand, and no warp.proxy_fence "
                   "shows that to the tensor cores");
}

/// Says that the memory of `origin`, a tile, a ring or scratch, changes, and
/// what else lies there is lost.
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
    auto place = other == origin ? std::nullopt : range(other);
    return own && place && own->first < place->second &&
           place->first < own->second;
  };
  for (const auto &[value, known] : state->values)
    if (known.kind == Known::AllocTile && isHit(known.memory.origin))
      state->lost.try_emplace(known.memory.origin, op);
  for (const std::vector<Memory> &reads : state->running)
    for (const Memory &memory : reads)
      if (isHit(memory.origin) ||
          (memory.origin == origin && isa<AllocOp>(origin)))
        return reportRule(op, kProducts)
               << "writes memory that a product reads which has not been "
                  "waited for";
  for (const auto &[staging, isWaitedFor] : state->storing)
    if (isHit(staging) || (staging == origin && !isa<TmaStoreOp>(op)))
      return reportRule(op, kStores)
             << (isWaitedFor
                     ? "writes memory before a barrier tells all threads that "
                       "copies from it are done"
                     : "writes memory that copies of a store may still read");
  for (const CopyGroup &group : state->copies)
    if (group.ring && group.hasCopies && isHit(group.ring))
      return reportRule(op, kContent)
             << "writes memory that copies are under way to";
  for (const auto &[ring, progress] : state->rings)
    if (isHit(ring) && (progress.waited != progress.released ||
                        progress.acquired != progress.committed))
      return reportRule(op, kContent) << "writes memory of a slot that is held";
  return success();
}

/// A write by threads.
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
// Products
//===----------------------------------------------------------------------===//

LogicalResult SlotRules::visit(WgmmaOp op) {
  std::vector<Memory> reads;
  if (failed(readAsynchronously(op, op.getB(), reads)))
    return failure();
  if (isa<SharedType>(op.getA().getType()) &&
      failed(readAsynchronously(op, op.getA(), reads)))
    return failure();
  llvm::sort(reads);
  state->running.push_back(std::move(reads));
  state->set(op.getResult(), {Known::Sum, {}, state->numProducts++});
  return success();
}

LogicalResult SlotRules::visit(WgmmaWaitOp op) {
  while (state->running.size() > op.getPendings())
    state->running.pop_front();
  for (auto [sum, result] : llvm::zip_equal(op.getSums(), op.getResults()))
    state->pass(sum, result);
  return success();
}

bool SlotRules::takesSum(OpOperand &operand) {
  Operation *op = operand.getOwner();
  if (auto product = dyn_cast<WgmmaOp>(op))
    return &operand == &product.getAccMutable();
  return isa<WgmmaWaitOp, LoopLikeOpInterface>(op) ||
         op->hasTrait<OpTrait::IsTerminator>();
}

LogicalResult SlotRules::checkSums(Operation *op, const PathState &state) {
  if (state.running.empty())
    return success();
  for (OpOperand &operand : op->getOpOperands())
    if (state.isRunning(state.get(operand.get())) && !takesSum(operand))
      return reportRule(op, kUntouched)
             << "uses a sum before its product has been waited for";
  for (Region &region : op->getRegions())
    for (Operation &inner : region.getOps())
      if (failed(checkSums(&inner, state)))
        return failure();
  return success();
}

//===----------------------------------------------------------------------===//
// Stores
//===----------------------------------------------------------------------===//

/// Stores through the same memory order each other.
LogicalResult SlotRules::visit(TmaStoreOp op) {
  Known staging = state->get(op.getStaging());
  if (staging.kind != Known::AllocTile)
    return reportRule(op, kProvable) << "its shared memory is not known";
  Operation *memory = staging.memory.origin;
  if (failed(overwrite(op, memory)))
    return failure();
  state->lost.erase(memory);
  state->storing[memory] = false;
  return success();
}

LogicalResult SlotRules::visit(TmaStoreWaitOp op) {
  auto found = state->storing.find(state->get(op.getStaging()).memory.origin);
  if (found != state->storing.end())
    found->second = true;
  return success();
}

//===----------------------------------------------------------------------===//
// All ops
//===----------------------------------------------------------------------===//

/// Ops that are known by their effects on memory alone.
LogicalResult SlotRules::visitOther(Operation *op) {
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<SharedType>(operand.get().getType()))
      continue;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return reportRule(op, kProvable)
             << "what it does with shared memory is not known";
    if (effects.getEffectOnValue<MemoryEffects::Read>(operand.get()) &&
        failed(read(op, operand.get())))
      return failure();
    if (effects.getEffectOnValue<MemoryEffects::Write>(operand.get()) &&
        failed(store(op, operand.get())))
      return failure();
  }
  if (!usesScratch(op))
    return success();
  if (failed(overwrite(op, op)))
    return failure();
  // Warps wait for each other within such an op.
  state->synchronize();
  return success();
}

LogicalResult SlotRules::apply(Operation *op, PathState &path, bool released) {
  state = &path;
  if (failed(checkSums(op, path)))
    return failure();
  using Result = LogicalResult;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<RingOp, AllocOp, RingAcquireOp, RingCommitOp, RingWaitOp, TmaLoadOp,
            AsyncCopyOp, WgmmaOp, WgmmaWaitOp, TmaStoreOp, TmaStoreWaitOp>(
          [&](auto op) { return visit(op); })
      .Case([&](RingReleaseOp op) { return visit(op, released); })
      .Case([&](RingNoSlotOp op) {
        path.set(op.getResult(), {Known::NoSlot});
        return success();
      })
      .Case([&](SharedTransposeOp op) {
        path.pass(op.getSource(), op.getResult());
        return success();
      })
      .Case([&](ProxyFenceOp) {
        for (auto &entry : path.written)
          entry.second = true;
        path.readByThreads.clear();
        return success();
      })
      .Case([&](BarrierOp) {
        path.synchronize();
        return success();
      })
      .Case([&](ClusterBarrierOp) {
        path.synchronize();
        path.unannounced.clear();
        path.shared.clear();
        return success();
      })
      .Default([&](Operation *op) { return visitOther(op); });
}

LogicalResult SlotRules::finish(Operation *end, const PathState &state) {
  for (const auto &[ring, progress] : state.rings) {
    if (progress.acquired == progress.committed &&
        progress.waited == progress.released)
      continue;
    InFlightDiagnostic error = reportRule(end, kHeldSlot)
                               << "ends while a slot is held";
    error.attachNote(ring->getLoc()) << "of this ring";
    return error;
  }
  if (!state.running.empty())
    return reportRule(end, kProducts)
           << "ends before its products have been waited for";
  for (const auto &[staging, isWaitedFor] : state.storing)
    if (!isWaitedFor)
      return reportRule(end, kStores)
             << "ends before the copies of its stores have been waited for";
  for (const CopyGroup &group : state.copies)
    if (group.hasCopies)
      return reportRule(end, kArrived)
             << "ends before its copies have been waited for";
  return success();
}

LogicalResult SlotRules::leave(Operation *end, const PathState &state) {
  if (failed(finish(end, state)))
    return failure();
  if (!state.shared.empty())
    return reportRule(end, kClusterMeets)
           << "ends while other blocks may still use its rings, for no "
              "warp.cluster_barrier stands behind their last use";
  return success();
}
