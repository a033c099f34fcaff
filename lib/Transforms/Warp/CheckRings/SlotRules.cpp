#include "lib/Transforms/Warp/CheckRings/SlotRules.h"

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/CheckRings/RuleNames.h"

#include "llvm/ADT/TypeSwitch.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

InFlightDiagnostic warp::reportRule(Operation *op, StringRef rule) {
  return op->emitError("rule '") << rule << "' is broken: ";
}

SlotRules::SlotRules(FunctionOpInterface function) {
  function->walk([&](RingOp ring) { rings.push_back(ring); });
}

/// Handles other ops by their memory effects.
LogicalResult SlotRules::visitOther(Operation *op) {
  auto order = tile::getProgramOrder(op);
  if (order && tile::releases(*order) && !state->arriving.empty())
    return reportRule(op, kStores)
           << "releases copies of a store that may not have arrived to other "
              "programs";
  for (OpOperand &operand : op->getOpOperands()) {
    if (!isa<SharedType>(operand.get().getType()))
      continue;
    auto effects = dyn_cast<MemoryEffectOpInterface>(op);
    if (!effects)
      return reportRule(op, kProvable)
             << "its effects on shared memory are not known";
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
  // Such an op contains a barrier.
  state->synchronize();
  return success();
}

LogicalResult SlotRules::apply(Operation *op, PathState &path, bool released) {
  state = &path;
  if (failed(checkAccumulators(op, path)))
    return failure();
  using Result = LogicalResult;
  return llvm::TypeSwitch<Operation *, Result>(op)
      .Case<RingOp, AllocOp, RingAcquireOp, RingCommitOp, RingWaitOp,
            RingSkipOp, TmaLoadOp, RingPutScalarOp, RingGetScalarOp,
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
      .Case([&](ClusterBarrierOp barrier) {
        path.unannounced.clear();
        if (barrier.getRingsOnly())
          return success();
        path.synchronize();
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
    return reportRule(end, kWgmmaDone) << "ends before a wait for its wgmmas";
  for (const auto &[staging, isWaitedFor] : state.storing)
    if (!isWaitedFor)
      return reportRule(end, kStores)
             << "ends before a wait for the copies of its stores";
  for (const CopyGroup &group : state.copies)
    if (group.hasCopies)
      return reportRule(end, kArrived) << "ends before a wait for its copies";
  return success();
}

LogicalResult SlotRules::leave(Operation *end, const PathState &state) {
  if (failed(finish(end, state)))
    return failure();
  if (!state.shared.empty())
    return reportRule(end, kClusterMeets)
           << "ends while other CTAs may still use its rings: no "
              "warp.cluster_barrier follows their last use";
  return success();
}
