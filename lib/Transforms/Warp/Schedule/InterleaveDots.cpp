// Overlaps the dots of a loop with the threads' work on each other's results.
//
// wgmmas complete in the order in which they are issued, so a wait for one
// covers all earlier ones. In each iteration:
// 1. wgmmas that do not depend on the threads' computation are issued just
//    after the first one.
// 2. Each is waited for where its accumulator is used.
// 3. wgmmas that only add to loop-carried accumulators are waited for by the
//    first wait of the next iteration. Their slots are released after it.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/Occupancy.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"
#include "lib/Transforms/Warp/Schedule/DotInterleaver.h"

#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_INTERLEAVEDOTS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

/// Whether nothing in the loop changes `operand` while a wgmma may read it,
/// except a refill of its slot after the release.
static bool isStable(Value operand, scf::ForOp loop) {
  if (isa<RankedTensorType>(operand.getType()))
    return true;
  Value memory = getNamedMemory(operand);
  if (loop.isDefinedOutsideOfLoop(memory))
    return true;
  RingWaitOp slot = getSlot(operand, loop);
  return slot && !slot.getIndex() &&
         slot.getRing().getType().getCompletion() == Completion::Transactions &&
         slot.getSlot().hasOneUse() &&
         isa<RingReleaseOp>(*slot.getSlot().user_begin());
}

/// Whether each accumulator element has its own 32-bit register. Accumulators
/// of 16 bits are unpacked after the wgmma.
static bool hasWideAcc(WgmmaOp wgmma) {
  return getElementTypeOrSelf(wgmma.getAcc().front().getType())
             .getIntOrFloatBitWidth() == 32;
}

/// Whether `op` may run while a wgmma that preceded it is in flight.
static bool canOverlap(Operation *op, scf::ForOp loop) {
  // Ops in regions may use accumulators too.
  if (op->getNumRegions() != 0)
    return false;
  if (auto wgmma = dyn_cast<WgmmaOp>(op))
    return wgmma.getNumDots() == 1 && wgmma->hasOneUse() && hasWideAcc(wgmma) &&
           isa<WgmmaOp, WgmmaWaitOp>(*wgmma->user_begin()) &&
           isStable(wgmma.getA(), loop) && isStable(wgmma.getSingleB(), loop);
  if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    auto wgmma = wait.getAccumulators()[0].getDefiningOp<WgmmaOp>();
    // wgmmas that continue an accumulator are parts of one chain. They keep
    // their order.
    return wait.getPendings() == 0 && wait.getAccumulators().size() == 1 &&
           wgmma && wgmma->getBlock() == loop.getBody() &&
           llvm::none_of(wait->getUsers(), llvm::IsaPred<WgmmaOp>);
  }
  if (auto release = dyn_cast<RingReleaseOp>(op))
    return !release.getCondition() &&
           release.getSlot().getDefiningOp<RingWaitOp>();
  return isa<tile::LoadOp, RingWaitOp>(op) || isMemoryEffectFree(op);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// Returns the registers of a thread that an iteration needs if all of its
/// wgmmas overlap: accumulators, an A operand, and other loop-carried tiles.
static int64_t countDotRegisters(scf::ForOp loop) {
  int64_t accs = 0, left = 0;
  for (Value value : loop.getYieldedValues())
    if (isa<RankedTensorType>(value.getType()) &&
        !value.getDefiningOp<WgmmaWaitOp>())
      accs += countRegisters(value.getType());
  for (auto wgmma : loop.getBody()->getOps<WgmmaOp>()) {
    if (!isa<WgmmaOp>(*wgmma->user_begin()))
      accs += getLayout(wgmma.getSingleResult().getType())
                  ->getInSize(LayoutAxis::Register);
    if (isa<RankedTensorType>(wgmma.getA().getType()))
      left = std::max(left, countRegisters(wgmma.getA().getType()));
  }
  return accs + left;
}

/// Returns the registers that all loads of the loop need if they are issued
/// together.
static int64_t countLoadRegisters(scf::ForOp loop) {
  int64_t registers = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    registers += countRegisters(load.getType());
  return registers;
}

/// The registers of a thread, and whether using more of them would prevent a
/// second CTA per SM.
struct RegisterShare {
  int64_t registers;
  bool limitsOccupancy;
};

/// Returns the register budget of the role around `loop`. Without roles,
/// returns the share of a thread at the occupancy that shared memory allows.
static RegisterShare getAvailableRegisters(scf::ForOp loop) {
  if (auto budget = getRegisterBudget(loop))
    return {*budget, false};
  auto func = loop->getParentOfType<tile::FuncOp>();
  int64_t bytes = 0;
  func.walk([&](Operation *op) {
    if (isa<RingOp, AllocOp>(op))
      bytes += getSharedBytes(op);
  });
  const Occupancy occupancy = Occupancy::forEstimates();
  int64_t ctas =
      std::clamp<int64_t>(occupancy.countCtasBySharedMemory(bytes), 1,
                          OccupancyParameters::kMaxInterleavedCtas);
  return {occupancy.getRegisters(ctas, getBlockWarps(func).getInt()), ctas > 1};
}

/// Whether `loop` can be interleaved:
/// 1. All of its wgmmas and waits are in its body.
/// 2. Threads use the result of at least one of several wgmmas.
/// 3. Every op of the body may run next to a wgmma in flight.
static bool canInterleave(scf::ForOp loop) {
  unsigned numUsed = 0, numWaits = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!canOverlap(&op, loop))
      return false;
    if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
      ++numWaits;
      numUsed += !isCarriedOnly(wait.getResult(0));
    }
  }
  return numUsed != 0 && numWaits > 1;
}

namespace {
struct InterleaveDots : warp::impl::InterleaveDotsBase<InterleaveDots> {
  void runOnOperation() override {
    SmallVector<scf::ForOp> found;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isExplicit(loop) && canInterleave(loop))
        found.push_back(loop);
    });
    for (scf::ForOp loop : found)
      visit(loop);
  }

  static void visit(scf::ForOp loop) {
    // Registers besides those of the wgmmas, for addresses and temporaries.
    constexpr int64_t kMinSpare = OccupancyParameters::kMinSpare,
                      kMinSpareToDefer = OccupancyParameters::kMinSpareToDefer;
    constexpr auto kRemark = remark::RemarkOpts::name("Interleaved")
                                 .category("warp-interleave-dots");
    int64_t taken = countDotRegisters(loop), loads = countLoadRegisters(loop);
    auto [registers, limitsOccupancy] = getAvailableRegisters(loop);
    bool mayDefer = taken + loads + kMinSpareToDefer <= registers;
    if (limitsOccupancy ? !mayDefer : taken + kMinSpare > registers) {
      remark::missed(loop.getLoc(), kRemark)
          << remark::add("its dots do not overlap: together they would take "
                         "{0} of the {1} registers of a thread",
                         taken, registers);
      return;
    }
    Location loc = loop.getLoc();
    mayDefer = interleaveDots(loop, mayDefer);
    remark::passed(loc, kRemark) << remark::add(
        "its dots overlap the work on each other's results{0}",
        mayDefer ? ", the last ones that of the next iteration" : "");
  }
};
} // namespace
