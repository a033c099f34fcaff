#include "lib/Conversion/WarpToLLVM/Async/TransactionRing.h"

#include "lib/Conversion/WarpToLLVM/Common/InlinePtx.h"
#include "lib/Conversion/WarpToLLVM/Common/SharedBase.h"
#include "lib/Conversion/WarpToLLVM/Common/ThreadIndices.h"

#include "dialect/Warp/ExtraSlots.h"

#include "mlir/Dialect/LLVMIR/LLVMDialect.h"
#include "mlir/Dialect/LLVMIR/NVVMDialect.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;

static constexpr int64_t kBarrierBytes = 8;

//===----------------------------------------------------------------------===//
// Barriers
//===----------------------------------------------------------------------===//

RingSlots::RingSlots(TypedValue<warp::RingType> ring) : type(ring.getType()) {
  auto op = ring.getDefiningOp<warp::RingOp>();
  if (!op)
    return;
  auto extra = op->getAttrOfType<DenseI64ArrayAttr>(warp::kExtraSlotsAttr);
  auto offset =
      op->getAttrOfType<IntegerAttr>(warp::WarpDialect::kSharedOffsetAttr);
  if (!extra || !offset)
    return;
  extraSlots = extra[0];
  extraStart = extra[1] - offset.getInt();
  launchBytes = extra[2];
}

Value RingSlots::emitChoice(ImplicitLocOpBuilder &b, Value index, int64_t first,
                            int64_t extra) const {
  if (extraSlots == 0)
    return emitI32(b, first);
  Value isFirst = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, index,
                                       emitI32(b, type.getNumSlots()));
  return LLVM::SelectOp::create(b, isFirst, emitI32(b, first),
                                emitI32(b, extra));
}

Value RingSlots::emitSlotOffset(ImplicitLocOpBuilder &b, Value index) const {
  int64_t bytes = type.getSlotBytes();
  Value offset = LLVM::MulOp::create(b, index, emitI32(b, bytes));
  if (extraSlots == 0)
    return offset;
  return LLVM::AddOp::create(
      b, offset,
      emitChoice(b, index, 0, extraStart - type.getNumSlots() * bytes));
}

Value RingSlots::emitBarrierOffset(ImplicitLocOpBuilder &b, Value index,
                                   bool isEmpty) const {
  int64_t numSlots = type.getNumSlots();
  int64_t first =
      type.getBarrierOffset() + (isEmpty ? numSlots * kBarrierBytes : 0);
  int64_t extra = extraStart + extraSlots * type.getSlotBytes() +
                  (isEmpty ? extraSlots * kBarrierBytes : 0) -
                  numSlots * kBarrierBytes;
  return LLVM::AddOp::create(
      b, LLVM::MulOp::create(b, index, emitI32(b, kBarrierBytes)),
      emitChoice(b, index, first, extra));
}

Value RingSlots::emitCount(ImplicitLocOpBuilder &b) const {
  Value count = emitI32(b, type.getNumSlots());
  if (extraSlots == 0)
    return count;
  Value bytes = NVVM::DynamicSmemSize::create(b, b.getI32Type());
  Value hasExtra = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::uge, bytes,
                                        emitI32(b, launchBytes));
  return LLVM::SelectOp::create(b, hasExtra, emitI32(b, getMaxSlots()), count);
}

/// Returns the address, as an i32, of the full or empty barrier of slot
/// `index`.
static Value emitBarrierAddress(ImplicitLocOpBuilder &b, const RingSlots &slots,
                                Value base, Value index, bool isEmpty) {
  return LLVM::AddOp::create(b,
                             LLVM::PtrToIntOp::create(b, b.getI32Type(), base),
                             slots.emitBarrierOffset(b, index, isEmpty));
}

namespace {
/// The warp whose first thread fills the slots of a role: threads below `end`.
/// The other warps of the role do not wait for slots. A late waiter might see a
/// slot that was filled and emptied again. Its barrier would then be in a later
/// phase of the same parity.
struct ProducerWarp {
  Value thread;
  int64_t end = 0;

  static ProducerWarp get(ImplicitLocOpBuilder &b) {
    auto role = warp::SpecializeOp::getRole(b.getInsertionBlock());
    if (!role || role->first.getWarpsPerPingPongGroup(role->second) == 1)
      return {};
    if (role->first.getNumPingPongGroups(role->second) > 1)
      return {emitThreadId(b), kWarpSize};
    // The index within the role would take one more register.
    return {NVVM::ThreadIdXOp::create(b, b.getI32Type()),
            (role->first.getFirstWarp(role->second) + 1) * kWarpSize};
  }
};
} // namespace

/// Waits until a barrier has completed the phase of `parity`. With `waiters`
/// only those threads wait.
///
/// In clusters, too, barriers have CTA scope. Other CTAs send asynchronous
/// copies, which the barrier itself makes visible, and releases, which pass no
/// data. Cluster scope would cost a fence of global memory per arrival and an
/// L1 invalidation per wait: more than multicast saves.
static void emitBarrierWait(ImplicitLocOpBuilder &b, Value barrier,
                            Value parity, ProducerWarp waiters = {}) {
  InlinePtx ptx(b);
  std::string skip;
  if (waiters.thread)
    skip = "setp.ge.u32 done, " + ptx.in(waiters.thread) + ", " +
           std::to_string(waiters.end) + ";\n@done bra passed;\n";
  std::string address = ptx.in(barrier), phase = ptx.in(parity);
  // try_wait itself suspends for a while; the labels are local to the braces.
  ptx.emit("{\n.reg .pred done;\n" + skip +
               "again:\n"
               "mbarrier.try_wait.parity.shared::cta.b64 done, [" +
               address + "], " + phase +
               ";\n@done bra passed;\nbra again;\npassed:\n}",
           /*sideEffects=*/true);
}

void tilewright::emitPublishBarriers(ImplicitLocOpBuilder &b) {
  InlinePtx(b).emit("fence.mbarrier_init.release.cluster;",
                    /*sideEffects=*/true);
}

Value tilewright::emitIsLeader(ImplicitLocOpBuilder &b) {
  return emitIsFirstThread(b);
}

//===----------------------------------------------------------------------===//
// Cursors
//===----------------------------------------------------------------------===//

static Value emitCursorField(ImplicitLocOpBuilder &b, Value cursor,
                             int32_t field) {
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), 2);
  return LLVM::GEPOp::create(b, cursor.getType(), type, cursor,
                             ArrayRef<LLVM::GEPArg>{0, field});
}

static Value emitCursor(ImplicitLocOpBuilder &b) {
  auto type = LLVM::LLVMArrayType::get(b.getI32Type(), 2);
  Value cursor = LLVM::AllocaOp::create(
      b, LLVM::LLVMPointerType::get(b.getContext()), type, emitI32(b, 1));
  for (int32_t field : {0, 1})
    LLVM::StoreOp::create(b, emitI32(b, 0), emitCursorField(b, cursor, field));
  return cursor;
}

/// Returns the slot index and the parity of `cursor`.
static std::pair<Value, Value> emitRead(ImplicitLocOpBuilder &b, Value cursor) {
  Value index =
      LLVM::LoadOp::create(b, b.getI32Type(), emitCursorField(b, cursor, 0));
  Value parity =
      LLVM::LoadOp::create(b, b.getI32Type(), emitCursorField(b, cursor, 1));
  return {index, parity};
}

/// Returns the same, and advances `cursor`.
static std::pair<Value, Value> emitNext(ImplicitLocOpBuilder &b, Value count,
                                        Value cursor) {
  Value indexField = emitCursorField(b, cursor, 0);
  Value parityField = emitCursorField(b, cursor, 1);
  auto [index, parity] = emitRead(b, cursor);
  Value next = LLVM::AddOp::create(b, index, emitI32(b, 1));
  Value wraps = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::eq, next, count);
  next = LLVM::SelectOp::create(b, wraps, emitI32(b, 0), next);
  Value flip = LLVM::ZExtOp::create(b, b.getI32Type(), wraps);
  LLVM::StoreOp::create(b, next, indexField);
  LLVM::StoreOp::create(b, LLVM::XOrOp::create(b, parity, flip), parityField);
  return {index, parity};
}

//===----------------------------------------------------------------------===//
// Rings
//===----------------------------------------------------------------------===//

TransactionRing TransactionRing::create(ImplicitLocOpBuilder &b,
                                        const RingSlots &slots, Value base,
                                        int64_t consumers, int64_t initWarps) {
  warp::RingType type = slots.type;
  Value count = slots.emitCount(b), thread = emitThreadId(b);
  Value hasExtra =
      slots.extraSlots == 0
          ? Value()
          : LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ugt, count,
                                 emitI32(b, type.getNumSlots()));
  // Initialisations are slow (benchmarks/notes/ring-depth.md), so several warps
  // share them.
  const int64_t numSlots = slots.getMaxSlots();
  for (int64_t warp = 0; warp < std::min(initWarps, numSlots); ++warp) {
    InlinePtx ptx(b);
    Value others = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ne, thread,
                                        emitI32(b, warp * kWarpSize));
    // One branch around all of them; the assembler would emit several.
    std::string text = "{\n" + ptx.predicate(others) + "bra made;\n", extra;
    if (hasExtra)
      extra = ptx.predicate(hasExtra);
    for (int64_t slot = warp; slot < numSlots; slot += initWarps)
      for (bool isEmpty : {false, true}) {
        Value address =
            emitBarrierAddress(b, slots, base, emitI32(b, slot), isEmpty);
        text += (Twine(slot < type.getNumSlots() ? "" : extra) +
                 "mbarrier.init.shared::cta.b64 [" + ptx.in(address) + "], " +
                 Twine(isEmpty ? consumers * type.getClusterSize() : 1) + ";\n")
                    .str();
      }
    ptx.emit(text + "made:\n}", /*sideEffects=*/true);
    // In a cluster the other CTAs wait for the barriers before the roles start.
    if (type.getClusterSize() == 1)
      std::prev(b.getInsertionPoint())
          ->setAttr(kInitsBarriers, b.getUnitAttr());
  }
  if (type.getClusterSize() > 1)
    emitPublishBarriers(b);
  return {base, emitCursor(b), emitCursor(b), count};
}

NextSlot tilewright::emitAcquire(ImplicitLocOpBuilder &b,
                                 const RingSlots &slots,
                                 const TransactionRing &ring, Value throttled,
                                 bool announces) {
  auto [index, parity] = emitNext(b, ring.count, ring.producerCursor);
  // In the first round slots are empty without a release: the phase before a
  // barrier's first one counts as complete.
  auto emitEmptyWait = [&](Value slot, Value phase) {
    Value before = LLVM::XOrOp::create(b, phase, emitI32(b, 1));
    emitBarrierWait(b, emitBarrierAddress(b, slots, ring.base, slot, true),
                    before, ProducerWarp::get(b));
  };
  emitEmptyWait(index, parity);
  if (throttled) {
    // If not throttled, waits for the same slot again, without a branch.
    auto [next, nextParity] = emitRead(b, ring.producerCursor);
    emitEmptyWait(LLVM::SelectOp::create(b, throttled, next, index),
                  LLVM::SelectOp::create(b, throttled, nextParity, parity));
  }
  Value full = emitBarrierAddress(b, slots, ring.base, index, false);
  if (!announces)
    return {index, full};
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(emitIsLeader(b));
  std::string address = ptx.in(full);
  ptx.emit(predicate + "mbarrier.arrive.expect_tx.shared::cta.b64 _, [" +
               address + "], " + std::to_string(slots.type.getPayloadBytes()) +
               ";",
           /*sideEffects=*/true);
  return {index, full};
}

FailureOr<Value>
tilewright::getFilledBarrier(Operation *op, Value memory,
                             ConversionPatternRewriter &rewriter) {
  auto acquire = memory.getDefiningOp<warp::RingAcquireOp>();
  if (!acquire)
    return op->emitOpError("fills memory of unknown origin");
  return rewriter.getRemappedValue(acquire.getSlot());
}

void tilewright::emitFilled(ImplicitLocOpBuilder &b, Value barrier,
                            Value condition) {
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(condition);
  ptx.emit(predicate + "mbarrier.arrive.shared::cta.b64 _, [" +
               ptx.in(barrier) + "];",
           /*sideEffects=*/true);
}

NextSlot tilewright::emitWait(ImplicitLocOpBuilder &b, const RingSlots &slots,
                              const TransactionRing &ring) {
  auto [index, parity] = emitNext(b, ring.count, ring.consumerCursor);
  emitBarrierWait(b, emitBarrierAddress(b, slots, ring.base, index, false),
                  parity);
  return {index, emitBarrierAddress(b, slots, ring.base, index, true)};
}

void tilewright::emitSkip(ImplicitLocOpBuilder &b, warp::RingType type,
                          const TransactionRing &ring, Value count) {
  Value indexField = emitCursorField(b, ring.consumerCursor, 0);
  Value parityField = emitCursorField(b, ring.consumerCursor, 1);
  auto [index, parity] = emitRead(b, ring.consumerCursor);
  // Two rounds lead back to the same slot and parity.
  auto emitConstant = [&](int64_t value) -> Value {
    return LLVM::ConstantOp::create(b, count.getType(),
                                    b.getIntegerAttr(count.getType(), value));
  };
  int64_t numSlots = type.getNumSlots();
  Value rest = LLVM::URemOp::create(b, count, emitConstant(2 * numSlots));
  if (!rest.getType().isInteger(32))
    rest = LLVM::TruncOp::create(b, b.getI32Type(), rest);
  Value next = LLVM::AddOp::create(b, index, rest);
  Value slotCount = emitI32(b, numSlots);
  Value rounds = LLVM::UDivOp::create(b, next, slotCount);
  LLVM::StoreOp::create(b, LLVM::URemOp::create(b, next, slotCount),
                        indexField);
  Value flips = LLVM::AndOp::create(b, rounds, emitI32(b, 1));
  LLVM::StoreOp::create(b, LLVM::XOrOp::create(b, parity, flips), parityField);
}

void tilewright::emitDrain(ImplicitLocOpBuilder &b, const RingSlots &slots,
                           const TransactionRing &ring) {
  auto [index, parity] = emitRead(b, ring.producerCursor);
  // Slots before the cursor were last filled in this round, the others in the
  // previous one. The round before the first counts as complete.
  Value before = LLVM::XOrOp::create(b, parity, emitI32(b, 1));
  for (int64_t slot = 0; slot < slots.type.getNumSlots(); ++slot) {
    Value isInRound = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult,
                                           emitI32(b, slot), index);
    emitBarrierWait(
        b, emitBarrierAddress(b, slots, ring.base, emitI32(b, slot), false),
        LLVM::SelectOp::create(b, isInRound, parity, before));
  }
}

void tilewright::emitRelease(ImplicitLocOpBuilder &b, warp::SlotType type,
                             Value barrier, Value condition) {
  // All lanes have read before the arrivals: lane i arrives at CTA i.
  NVVM::SyncWarpOp::create(b, emitI32(b, -1));
  Value lane = emitLaneId(b);
  Value acts = LLVM::ICmpOp::create(b, LLVM::ICmpPredicate::ult, lane,
                                    emitI32(b, type.getClusterSize()));
  if (condition)
    acts = LLVM::AndOp::create(b, acts, condition);
  InlinePtx ptx(b);
  std::string predicate = ptx.predicate(acts), address = ptx.in(barrier);
  if (type.getClusterSize() == 1) {
    ptx.emit(predicate + "mbarrier.arrive.shared::cta.b64 _, [" + address +
                 "];",
             /*sideEffects=*/true);
    return;
  }
  ptx.emit("{\n.reg .b32 there;\n" + predicate +
               "mapa.shared::cluster.u32 there, " + address + ", " +
               ptx.in(lane) + ";\n" + predicate +
               "mbarrier.arrive.shared::cluster.b64 _, [there];\n}",
           /*sideEffects=*/true);
}
