#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/RunningSums.h"
#include "lib/Transforms/Warp/LoopEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_DELAYWAITS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

namespace {

/// Products that add to a sum in each iteration of a loop.
struct CarriedSum {
  scf::ForOp loop;
  WgmmaWaitOp wait;
  /// Of the values that the loop carries, the number of the sum.
  unsigned index;
  /// The products of one iteration.
  unsigned numProducts;
};

} // namespace

/// How many products lead from `start` to `end`, or nothing if something else
/// uses a sum in between.
static std::optional<unsigned> countProducts(Value start, Value end) {
  unsigned count = 0;
  for (Value sum = start; sum != end; ++count) {
    if (!sum.hasOneUse())
      return std::nullopt;
    auto product = dyn_cast<WgmmaOp>(*sum.user_begin());
    if (!product || product.getAcc() != sum)
      return std::nullopt;
    sum = product.getResult();
  }
  return count;
}

/// The sum of `loop`, if all products in it add to one and nothing else needs
/// it before the next iteration.
static std::optional<CarriedSum> findCarriedSum(scf::ForOp loop) {
  SmallVector<WgmmaWaitOp> waits;
  unsigned numProducts = 0;
  loop.getBody()->walk([&](Operation *op) {
    if (auto wait = dyn_cast<WgmmaWaitOp>(op))
      waits.push_back(wait);
    numProducts += isa<WgmmaOp>(op);
  });
  if (waits.size() != 1 || waits[0]->getBlock() != loop.getBody() ||
      waits[0].getSums().size() != 1 || waits[0].getPendings() != 0)
    return std::nullopt;
  Value sum = waits[0].getResult(0);
  if (!sum.hasOneUse() || !isa<scf::YieldOp>(*sum.user_begin()))
    return std::nullopt;
  unsigned index = sum.use_begin()->getOperandNumber();
  auto count =
      countProducts(loop.getRegionIterArg(index), waits[0].getSums()[0]);
  if (!count || *count != numProducts)
    return std::nullopt;
  return CarriedSum{loop, waits[0], index, numProducts};
}

static Value getMemory(Value tile) {
  while (auto view = tile.getDefiningOp<SharedTransposeOp>())
    tile = view.getSource();
  return tile;
}

/// The slots that the products of a loop read, or nothing if they read anything
/// else that the next iteration may change: registers, or memory that is
/// stored to.
static std::optional<llvm::SmallSetVector<Operation *, 4>>
findSlots(const CarriedSum &sum) {
  scf::ForOp loop = sum.loop;
  llvm::SmallSetVector<Operation *, 4> slots;
  bool others = false;
  loop.getBody()->walk([&](WgmmaOp product) {
    for (Value operand : {Value(product.getA()), Value(product.getB())}) {
      Value memory = getMemory(operand);
      if (isa<SharedType>(memory.getType()) &&
          loop.isDefinedOutsideOfLoop(memory))
        continue;
      auto wait = memory.getDefiningOp<RingWaitOp>();
      if (wait && wait->getBlock() == loop.getBody() &&
          wait.getRing().getType().getCompletion() ==
              Completion::Transactions &&
          wait.getRing().getType().getNumSlots() > 1)
        slots.insert(wait);
      else
        others = true;
    }
  });
  if (others || slots.empty())
    return std::nullopt;
  return slots;
}

/// Where the slots are given back, if that is behind the wait.
static std::optional<SmallVector<RingReleaseOp>>
findReleases(const CarriedSum &sum) {
  auto slots = findSlots(sum);
  if (!slots)
    return std::nullopt;
  SmallVector<RingReleaseOp> releases;
  for (Operation *op : *slots) {
    Value slot = cast<RingWaitOp>(op).getSlot();
    auto release = dyn_cast<RingReleaseOp>(*slot.user_begin());
    Operation *wait = sum.wait;
    if (!release || release.getCondition() ||
        release->getBlock() != wait->getBlock() ||
        !wait->isBeforeInBlock(release))
      return std::nullopt;
    releases.push_back(release);
  }
  llvm::sort(releases, [](RingReleaseOp a, RingReleaseOp b) {
    return a->isBeforeInBlock(b);
  });
  return releases;
}

/// Makes the loop hold the slots of the iteration before. Gives the loop and
/// what it holds at its end.
static std::pair<scf::ForOp, SmallVector<Value>>
carrySlots(const CarriedSum &sum, MutableArrayRef<RingReleaseOp> releases,
           IRRewriter &rewriter) {
  scf::ForOp loop = sum.loop;
  rewriter.setInsertionPoint(loop);
  SmallVector<Value> none, slots;
  for (RingReleaseOp release : releases) {
    slots.push_back(release.getSlot());
    none.push_back(RingNoSlotOp::create(rewriter, loop.getLoc(),
                                        release.getSlot().getType()));
  }
  auto yieldSlots = [&](OpBuilder &, Location, ArrayRef<BlockArgument>) {
    return slots;
  };
  auto replaced = cast<scf::ForOp>(*loop.replaceWithAdditionalYields(
      rewriter, none, /*replaceInitOperandUsesInLoop=*/false, yieldSlots));
  rewriter.setInsertionPoint(releases.front());
  Value notFirst = arith::CmpIOp::create(
      rewriter, replaced.getLoc(), arith::CmpIPredicate::ne,
      replaced.getInductionVar(), replaced.getLowerBound());
  auto held = replaced.getRegionIterArgs().take_back(releases.size());
  for (auto [release, slot] : llvm::zip_equal(releases, held)) {
    release.getSlotMutable().assign(slot);
    release.getConditionMutable().assign(notFirst);
  }
  return {replaced, replaced.getResults().take_back(releases.size())};
}

/// Puts `loop` into a branch that is taken where it runs at all, so that its
/// products are waited for before control flow from elsewhere joins: else the
/// assembler takes it that they may be running there. Gives the results as they
/// are within the branch, which yields those that `loop` had.
static scf::IfOp guard(scf::ForOp loop, unsigned numResults,
                       IRRewriter &rewriter) {
  rewriter.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, numResults, rewriter);
  for (auto [old, result] : llvm::zip(loop.getResults(), branch.getResults()))
    rewriter.replaceAllUsesWith(old, result);
  rewriter.moveOpBefore(loop, branch.thenBlock(), branch.thenBlock()->end());
  return branch;
}

static void delay(const CarriedSum &sum,
                  MutableArrayRef<RingReleaseOp> releases) {
  unsigned numResults = scf::ForOp(sum.loop).getNumResults();
  WgmmaWaitOp wait = sum.wait;
  wait.setPendings(sum.numProducts);
  IRRewriter rewriter(wait.getContext());
  auto [loop, held] = carrySlots(sum, releases, rewriter);
  scf::IfOp branch = guard(loop, numResults, rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results(loop.getResults().take_front(numResults));
  auto last =
      WgmmaWaitOp::create(rewriter, wait.getLoc(), results[sum.index].getType(),
                          results[sum.index], /*pendings=*/0);
  results[sum.index] = last.getResult(0);
  for (Value slot : held)
    RingReleaseOp::create(rewriter, loop.getLoc(), slot);
  scf::YieldOp::create(rewriter, loop.getLoc(), results);
}

//===----------------------------------------------------------------------===//
// Waits that the source delays
//===----------------------------------------------------------------------===//

/// The wait behind `loop` for nothing but sums that it leaves running.
static WgmmaWaitOp findLastWait(scf::ForOp loop) {
  for (Value result : loop.getResults()) {
    if (!isRunningSum(result) || !result.hasOneUse())
      continue;
    auto wait = dyn_cast<WgmmaWaitOp>(*result.user_begin());
    if (wait && wait.getPendings() == 0 &&
        wait->getBlock() == loop->getBlock() &&
        llvm::all_of(wait.getSums(),
                     [&](Value sum) { return sum.getDefiningOp() == loop; }))
      return wait;
  }
  return {};
}

/// Puts `loop` and `wait` into one branch.
static void guardWithWait(scf::ForOp loop, WgmmaWaitOp wait) {
  SmallVector<unsigned> indices;
  for (Value sum : wait.getSums())
    indices.push_back(cast<OpResult>(sum).getResultNumber());
  IRRewriter rewriter(loop.getContext());
  scf::IfOp branch = guard(loop, loop.getNumResults(), rewriter);
  rewriter.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> results(loop.getResults()), sums, waited;
  for (unsigned index : indices) {
    sums.push_back(loop.getResult(index));
    waited.push_back(branch.getResult(index));
  }
  auto last = WgmmaWaitOp::create(rewriter, wait.getLoc(), TypeRange(sums),
                                  sums, /*pendings=*/0);
  for (auto [index, sum] : llvm::zip_equal(indices, last.getResults()))
    results[index] = sum;
  scf::YieldOp::create(rewriter, loop.getLoc(), results);
  rewriter.replaceOp(wait, waited);
}

namespace {
struct DelayWaits : warp::impl::DelayWaitsBase<DelayWaits> {
  void runOnOperation() override {
    SmallVector<std::pair<scf::ForOp, WgmmaWaitOp>> guarded;
    getOperation()->walk([&](scf::ForOp loop) {
      if (!isExplicit(loop))
        return;
      if (WgmmaWaitOp wait = findLastWait(loop))
        guarded.push_back({loop, wait});
    });
    for (auto [loop, wait] : guarded)
      guardWithWait(loop, wait);
    SmallVector<CarriedSum> sums;
    getOperation()->walk([&](scf::ForOp loop) {
      if (auto sum = findCarriedSum(loop))
        sums.push_back(*sum);
    });
    for (const CarriedSum &sum : sums)
      visit(sum);
  }

  void visit(const CarriedSum &sum) {
    constexpr auto kRemark =
        remark::RemarkOpts::name("LateWait").category("warp-delay-waits");
    Location loc = WgmmaWaitOp(sum.wait).getLoc();
    if (auto releases = findReleases(sum)) {
      delay(sum, *releases);
      remark::passed(loc, kRemark)
          << remark::add("waited for under the next iteration's product");
    } else {
      remark::missed(loc, kRemark)
          << remark::add("waited for before the next iteration's product: it "
                         "reads what that iteration may change");
    }
  }
};
} // namespace
