// Programs that read the same lines at the same time read them once from the L2
// cache: requests that meet on the way are one. Some programs are always a
// little ahead of others. If their copies run ahead no further than memory
// takes, they wait for it a little before the others do, which so come up with
// them; if copies run so far ahead that nobody ever waits, programs stay apart.
// Large products, whose rate the power limits, then take 4 % longer.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"
#include "mlir/IR/Remarks.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_THROTTLEPRODUCER
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// What memory takes under load, in clocks.
static constexpr int64_t kMemoryClocks = 2048;

/// The steps of a loop that is long, and those in which copies run freely.
static constexpr int64_t kLong = 96, kFirst = 8;

/// Clocks of the tensor cores for a product: in each they multiply what is 4096
/// bytes of `b` by a number of `a`.
static int64_t countClocks(WgmmaOp product) {
  SharedType b = product.getB().getType();
  int64_t bits =
      b.getNumElements() * b.getElementType().getIntOrFloatBitWidth();
  return product.getAcc().getType().getDimSize(0) * bits / (8 * 4096);
}

/// The same for what one slot of `ring` brings; 0 where they do not read it.
static int64_t countClocks(RingOp ring) {
  // The first iterations of a loop may stand in front of it.
  llvm::SmallMapVector<Block *, int64_t, 4> clocks;
  llvm::SmallPtrSet<Operation *, 8> products;
  for (Operation *op : getTileUsers(ring))
    if (auto product = dyn_cast<WgmmaOp>(op);
        product && products.insert(op).second)
      clocks[op->getBlock()] += countClocks(product);
  int64_t most = 0;
  for (auto [block, count] : clocks)
    most = std::max(most, count);
  return most;
}

/// The most slots that who comes to `wait` has in hand: those that loops carry,
/// and those of the other waits in the blocks that it comes through.
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

/// Whether who reads `ring` has at least two slots less in hand than there are,
/// whenever it waits for one.
static bool holdsFew(RingOp ring) {
  return llvm::all_of(ring->getUsers(), [&](Operation *user) {
    auto wait = dyn_cast<RingWaitOp>(user);
    return wait ? countHeld(wait) <= ring.getType().getNumSlots() - 2
                : isa<RingAcquireOp, RingSkipOp>(user);
  });
}

/// Whether copies run far enough ahead with one slot less than `ring` has.
static bool hasSlotToSpare(RingOp ring, int64_t programs) {
  RingType type = ring.getType();
  if (type.getCompletion() != Completion::Transactions ||
      type.getClusterSize() > 1 || type.getNumSlots() < 4)
    return false;
  return countClocks(ring) * programs * (type.getNumSlots() - 2) >=
             kMemoryClocks &&
         holdsFew(ring);
}

/// Whether `loop` takes `count` steps or more from its start to `to` (i1).
static Value emitReaches(ImplicitLocOpBuilder &b, scf::ForOp loop, Value to,
                         int64_t count) {
  Value from = loop.getLowerBound();
  Value steps =
      arith::ConstantOp::create(b, b.getIntegerAttr(from.getType(), count));
  return arith::CmpIOp::create(b, arith::CmpIPredicate::sge,
                               arith::SubIOp::create(b, to, from),
                               arith::MulIOp::create(b, loop.getStep(), steps));
}

/// Whether `acquire` is to be throttled, at this iteration of `loop`: where a
/// tile begins all slots may be needed, and short loops wait for memory more
/// than for power.
static Value emitThrottled(RingAcquireOp acquire, scf::ForOp loop) {
  ImplicitLocOpBuilder b(acquire.getLoc(), loop);
  Value isLong = emitReaches(b, loop, loop.getUpperBound(), kLong);
  b.setInsertionPoint(acquire);
  return arith::AndIOp::create(
      b, isLong, emitReaches(b, loop, loop.getInductionVar(), kFirst));
}

/// Paces what fills `ring`.
static void pace(RingOp ring) {
  constexpr auto kRemark =
      remark::RemarkOpts::name("Paced").category("warp-throttle-producer");
  for (Operation *user : ring->getUsers()) {
    auto acquire = dyn_cast<RingAcquireOp>(user);
    auto loop = dyn_cast<scf::ForOp>(user->getParentOp());
    if (!acquire || !loop)
      continue;
    acquire.getThrottledMutable().assign(emitThrottled(acquire, loop));
    remark::passed(acquire.getLoc(), kRemark)
        << remark::add("copies run {0} iterations ahead in loops of {1} and "
                       "more: memory takes no longer, and programs stay "
                       "together",
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
      int64_t programs = countPrograms(bytes.getInt());
      function->walk([&](RingOp ring) {
        if (hasSlotToSpare(ring, programs))
          pace(ring);
      });
    }
  }
};
} // namespace
