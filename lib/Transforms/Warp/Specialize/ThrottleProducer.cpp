// Throttles producers so that CTAs which read the same operands stay together.
//
// L2 serves simultaneous requests for one line with one read. Some CTAs always
// run a little earlier than others. If prefetching covers just the memory
// latency, the early CTAs stall first and the others catch up. With deeper
// prefetching nobody stalls, the CTAs stay apart, and L2 is read more often.
// That costs power, which limits large matmuls: see
// benchmarks/notes/ring-depth.md.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_THROTTLEPRODUCER
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// The memory latency under load, in clocks. It trades reads of L2 for stalls;
/// benchmarks/gemm.py on large matmuls decides.
static constexpr int64_t kMemoryClocks = 2048;

/// The iterations that make a loop long, and the first ones, which are not
/// throttled. They trade reads of L2 for a slower start; benchmarks/gemm.py
/// decides.
static constexpr int64_t kLong = 96, kFirst = 8;

/// Returns the tensor core clocks of a wgmma. In one clock they multiply one
/// row of A by 4096 bytes of B.
static int64_t countClocks(WgmmaOp wgmma) {
  int64_t bytes = 0;
  for (Value b : wgmma.getB())
    bytes += cast<SharedType>(b.getType()).getSizeInBytes();
  auto acc = cast<RankedTensorType>(wgmma.getAcc().front().getType());
  return acc.getDimSize(0) * bytes / 4096;
}

/// Returns the tensor core clocks of the wgmmas that read one slot of `ring`; 0
/// if none does.
static int64_t countClocks(RingOp ring) {
  // The first iteration of a loop may be peeled off before it.
  llvm::SmallMapVector<Block *, int64_t, 4> clocks;
  llvm::SmallPtrSet<Operation *, 8> seen;
  for (Operation *op : getTileUsers(ring))
    if (auto wgmma = dyn_cast<WgmmaOp>(op); wgmma && seen.insert(op).second)
      clocks[op->getBlock()] += countClocks(wgmma);
  int64_t most = 0;
  for (auto [block, count] : clocks)
    most = std::max(most, count);
  return most;
}

/// Returns the maximum number of ring slots that a consumer holds at `wait`:
/// those that loops carry, and those of other waits in the enclosing blocks.
static int64_t countHeld(RingWaitOp wait) {
  int64_t held = 0;
  for (Operation *op = wait; op && !isa<SpecializeOp, FunctionOpInterface>(op);
       op = op->getParentOp()) {
    for (Region &region : op->getRegions())
      held += llvm::count_if(region.getArguments(), [](Value carried) {
        return isa<SlotType>(carried.getType());
      });
    held += llvm::count_if(wait.getRing().getUsers(), [&](Operation *other) {
      return other != wait && isa<RingWaitOp>(other) &&
             other->getBlock() == op->getBlock();
    });
  }
  return held;
}

/// Whether the consumers of `ring` leave at least two slots free at every wait.
static bool holdsFew(RingOp ring) {
  return llvm::all_of(ring->getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<RingWaitOp>(user);
    return wait ? countHeld(wait) <= ring.getType().getNumSlots() - 2
                : isa<RingAcquireOp, RingSkipOp>(user);
  });
}

/// Whether `ring` hides the memory latency with one slot less than it has.
static bool hasSlotToSpare(RingOp ring, int64_t numCtas) {
  RingType type = ring.getType();
  if (type.getCompletion() != Completion::Transactions ||
      type.getClusterSize() > 1 || type.getNumSlots() < 4)
    return false;
  return countClocks(ring) * numCtas * (type.getNumSlots() - 2) >=
             kMemoryClocks &&
         holdsFew(ring);
}

/// Emits whether `loop` has at least `count` iterations before `to` (i1).
static Value emitReaches(ImplicitLocOpBuilder &b, scf::ForOp loop, Value to,
                         int64_t count) {
  Value from = loop.getLowerBound();
  Value steps =
      arith::ConstantOp::create(b, b.getIntegerAttr(from.getType(), count));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                               arith::SubIOp::create(b, to, from),
                               arith::MulIOp::create(b, loop.getStep(), steps));
}

/// Emits whether to throttle `acquire` in this iteration of `loop`. The start
/// of a tile may need all slots, and short loops are limited by memory, not by
/// power.
static Value emitThrottled(RingAcquireOp acquire, scf::ForOp loop) {
  ImplicitLocOpBuilder b(acquire.getLoc(), loop);
  Value isLong = emitReaches(b, loop, loop.getUpperBound(), kLong);
  b.setInsertionPoint(acquire);
  return arith::AndIOp::create(
      b, isLong, emitReaches(b, loop, loop.getInductionVar(), kFirst));
}

/// Throttles the producer of `ring`.
static void throttle(RingOp ring) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Throttled").category("warp-throttle-producer");
  for (Operation *user : ring->getUsers()) {
    auto acquire = dyn_cast<RingAcquireOp>(user);
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    if (!acquire || !loop)
      continue;
    acquire.getThrottledMutable().assign(emitThrottled(acquire, loop));
    remark::passed(acquire.getLoc(), kRemark)
        << remark::add("copies run {0} iterations ahead in loops of {1} and "
                       "more iterations: that hides the memory latency and "
                       "keeps CTAs together",
                       ring.getType().getNumSlots() - 2, kLong);
  }
}

namespace {
struct ThrottleProducer : warp::impl::ThrottleProducerBase<ThrottleProducer> {
  void runOnOperation() override {
    for (auto function : getOperation().getOps<FunctionOpInterface>()) {
      auto bytes =
          function->getAttrOfType<IntegerAttr>(WarpDialect::kSharedSizeAttr);
      if (!bytes || isExplicit(function))
        continue;
      int64_t numCtas =
          Occupancy::forEstimates().countCtasBySharedMemory(bytes.getInt());
      function->walk([&](RingOp ring) {
        if (hasSlotToSpare(ring, numCtas))
          throttle(ring);
      });
    }
  }
};
} // namespace
