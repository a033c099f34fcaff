// Lets the products of a loop run under what threads make of each other's sums.
//
// Products are done in the order in which they are started, so a wait for one
// is a wait for all before it. In each iteration products that need nothing of
// the threads are started behind the first one. Each is waited for where its
// sum is used, and those that only add to what the loop carries behind the
// first wait of the next iteration, which also gives back their slots.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
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
// Which loops
//===----------------------------------------------------------------------===//

/// Whether nothing in the loop changes `operand` while the product may read it,
/// but who gets its slot when that is given back.
static bool isSteady(Value operand, scf::ForOp loop) {
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

/// Whether each sum has a register of its own: those of 16 bits are taken apart
/// behind the product.
static bool hasRegisterOfItsOwn(WgmmaOp product) {
  return product.getType().getElementTypeBitWidth() == 32;
}

/// Whether `op` may stand where a product runs that stood in front of it.
static bool isKnown(Operation *op, scf::ForOp loop) {
  // What stands in regions may use sums, too.
  if (op->getNumRegions() != 0)
    return false;
  if (auto product = dyn_cast<WgmmaOp>(op))
    return product.getResult().hasOneUse() && hasRegisterOfItsOwn(product) &&
           isa<WgmmaOp, WgmmaWaitOp>(*product->user_begin()) &&
           isSteady(product.getA(), loop) && isSteady(product.getB(), loop);
  if (auto wait = dyn_cast<WgmmaWaitOp>(op)) {
    auto product = wait.getAccumulators()[0].getDefiningOp<WgmmaOp>();
    // Products that go on with a sum are parts of one: they keep their order.
    return wait.getPendings() == 0 && wait.getAccumulators().size() == 1 &&
           product && product->getBlock() == loop.getBody() &&
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

/// What an iteration takes of a thread's registers if all products run at once:
/// their sums and a left side, and what else the loop carries.
static int64_t countOfDots(scf::ForOp loop) {
  int64_t sums = 0, left = 0;
  for (Value value : loop.getYieldedValues())
    if (isa<RankedTensorType>(value.getType()) &&
        !value.getDefiningOp<WgmmaWaitOp>())
      sums += countRegisters(value.getType());
  for (auto product : loop.getBody()->getOps<WgmmaOp>()) {
    if (!isa<WgmmaOp>(*product->user_begin()))
      sums += getLayout(product.getType())->getInSize(LayoutAxis::Register);
    if (isa<RankedTensorType>(product.getA().getType()))
      left = std::max(left, countRegisters(product.getA().getType()));
  }
  return sums + left;
}

/// What loads for the threads take if they are started together.
static int64_t countOfLoads(scf::ForOp loop) {
  int64_t registers = 0;
  for (auto load : loop.getBody()->getOps<tile::LoadOp>())
    registers += countRegisters(load.getType());
  return registers;
}

/// The registers of a thread, and whether one more than that would cost a
/// multiprocessor its second program.
struct RegisterShare {
  int64_t registers;
  bool isSecond;
};

/// What the role that `loop` stands in asks for, or what is left if as many
/// programs run on a multiprocessor as shared memory has room for. A
/// multiprocessor deals its registers to warps in fours.
static RegisterShare getRegisters(scf::ForOp loop) {
  constexpr int64_t kRegisters = 64 * 1024, kMost = 255, kLanes = 32;
  if (auto budget = getRegisterBudget(loop))
    return {*budget, false};
  auto func = loop->getParentOfType<tile::FuncOp>();
  int64_t bytes = 0;
  func.walk([&](Operation *op) {
    if (isa<RingOp, AllocOp>(op))
      bytes += getSharedBytes(op);
  });
  int64_t programs = std::clamp<int64_t>(countPrograms(bytes), 1, 2);
  int64_t dealt = llvm::alignTo(programs * getBlockWarps(func).getInt(), 4);
  return {std::min(kRegisters / (dealt * kLanes), kMost), programs > 1};
}

/// Whether the products of `loop` stand in its body, some of them for threads
/// to compute with, and all that is there can stand beside a running product.
static bool canInterleave(scf::ForOp loop) {
  unsigned numUsed = 0, numWaits = 0;
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (!isKnown(&op, loop))
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
    // Beside the products: for places, and for what threads are at.
    constexpr int64_t kLeast = 24, kToLast = 40;
    constexpr auto kRemark = remark::RemarkOpts::name("Interleaved")
                                 .category("warp-interleave-dots");
    int64_t taken = countOfDots(loop), loads = countOfLoads(loop);
    auto [registers, isSecond] = getRegisters(loop);
    bool lasts = taken + loads + kToLast <= registers;
    if (isSecond ? !lasts : taken + kLeast > registers) {
      remark::missed(loop.getLoc(), kRemark)
          << remark::add("its products wait for each other: together they "
                         "would take {0} of the {1} registers of a thread",
                         taken, registers);
      return;
    }
    Location loc = loop.getLoc();
    lasts = interleaveDots(loop, lasts);
    remark::passed(loc, kRemark) << remark::add(
        "its products run under the work on each other's sums{0}",
        lasts ? ", the last ones under the next iteration's" : "");
  }
};
} // namespace
