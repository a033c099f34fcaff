#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Transforms/Warp/Schedule/ComputedOperands.h"
#include "lib/Transforms/Warp/Schedule/GuardWgmmaWaits.h"
#include "lib/Transforms/Warp/Schedule/LoopCarriedAccumulators.h"
#include "lib/Transforms/Warp/Schedule/LoopEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/IR/Remarks.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_DEFERWGMMAWAITS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Has threads copy behind `place`, and behind `releases`, which follow it
/// then: into the slots of the iteration before, once no warp's products read
/// them.
static void fillBehind(Operation *place, ArrayRef<RingReleaseOp> releases,
                       IRRewriter &rewriter) {
  auto loop = cast<scf::ForOp>(place->getParentOp());
  SmallVector<RingAcquireOp> fills;
  Operation *last = place;
  for (RingReleaseOp release : releases) {
    auto wait = release.getSlot().getDefiningOp<RingWaitOp>();
    if (!isFilledByThreads(wait))
      continue;
    fills.push_back(findFill(wait, loop));
    rewriter.moveOpAfter(release, last);
    last = release;
  }
  if (fills.empty())
    return;
  rewriter.setInsertionPointAfter(last);
  last = BarrierOp::create(rewriter, place->getLoc());
  for (RingAcquireOp acquire : fills) {
    llvm::SmallSetVector<Operation *, 16> fill;
    fill.insert(acquire);
    fill.insert_range(acquire->getUsers());
    addWhatTheyNeed(fill, last);
    auto ops = fill.takeVector();
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops) {
      rewriter.moveOpAfter(op, last);
      last = op;
    }
  }
}

/// The last product of the block of `wait`.
static Operation *findLastDot(WgmmaWaitOp wait) {
  Operation *last = wait;
  for (Operation &op : *wait->getBlock())
    if (isa<WgmmaOp>(op))
      last = &op;
  return last;
}

/// One wait behind the last product, for all products of the iteration before,
/// and the slots given back behind that.
static WgmmaWaitOp joinWaits(const LoopCarriedAccumulators &sums,
                             ArrayRef<RingReleaseOp> releases,
                             IRRewriter &rewriter) {
  if (!sums.made.empty()) {
    // Asked here, as other operations take the place of these below.
    bool isStored =
        llvm::any_of(sums.made, [](Operation *op) { return isa<AllocOp>(op); });
    WgmmaWaitOp joined =
        waitBeforeStores(sums.loop, sums.made.getArrayRef(), sums.waits,
                         sums.indices, releases, rewriter);
    // Without a store the products need not wait for the barrier in front of
    // the copies.
    fillBehind(isStored ? joined : findLastDot(joined), releases, rewriter);
    return joined;
  }
  SmallVector<Value> waited;
  for (WgmmaWaitOp wait : sums.waits)
    waited.push_back(wait.getAccumulators()[0]);
  WgmmaWaitOp last = sums.waits.back();
  rewriter.setInsertionPoint(last);
  auto joined = WgmmaWaitOp::create(rewriter, last.getLoc(), TypeRange(waited),
                                    waited, sums.numDots);
  for (RingReleaseOp release : llvm::reverse(releases))
    if (release->isBeforeInBlock(joined))
      rewriter.moveOpAfter(release, joined);
  for (auto [wait, result] : llvm::zip(sums.waits, joined.getResults()))
    rewriter.replaceOp(wait, result);
  fillBehind(joined, releases, rewriter);
  return joined;
}

/// Writes the first iteration of `loop`, which has no products of another one
/// to wait for and no slots to give back. Gives what it leaves to the next one:
/// what the loop carries, and its slots.
static SmallVector<Value> writeFirst(scf::ForOp loop, WgmmaWaitOp wait,
                                     ArrayRef<RingReleaseOp> releases,
                                     RewriterBase &b) {
  IRMapping map;
  map.map(loop.getInductionVar(), loop.getLowerBound());
  map.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == wait)
      for (auto [result, sum] :
           llvm::zip_equal(wait.getResults(), wait.getAccumulators()))
        map.map(result, map.lookup(sum));
    else if (!llvm::is_contained(releases, &op))
      b.clone(op, map);
  }
  SmallVector<Value> left;
  for (Value value : loop.getYieldedValues())
    left.push_back(map.lookupOrDefault(value));
  for (RingReleaseOp release : releases)
    left.push_back(map.lookup(release.getSlot()));
  return left;
}

/// Writes the iterations from `first` on. Each holds the slots of the one
/// before until it has waited for the products of that.
static scf::ForOp writeRest(scf::ForOp loop, Value first, ArrayRef<Value> left,
                            MutableArrayRef<RingReleaseOp> releases,
                            RewriterBase &b) {
  auto rest =
      scf::ForOp::create(b, loop.getLoc(), first, loop.getUpperBound(),
                         loop.getStep(), left, nullptr, loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  auto yield = cast<scf::YieldOp>(loop.getBody()->getTerminator());
  auto held = rest.getRegionIterArgs().take_back(releases.size());
  for (auto [release, slot] : llvm::zip_equal(releases, held)) {
    yield.getResultsMutable().append(release.getSlot());
    release.getSlotMutable().assign(slot);
  }
  b.mergeBlocks(loop.getBody(), rest.getBody(),
                rest.getBody()->getArguments().drop_back(releases.size()));
  return rest;
}

/// The op behind the loop that lets the next team begin, which may do so before
/// the last products are done; null where there is none.
static PingPongPassOp findPass(const LoopCarriedAccumulators &sums) {
  return dyn_cast_or_null<PingPongPassOp>(scf::ForOp(sums.loop)->getNextNode());
}

/// Waits for the last products, which with their slots are in `left`, and
/// yields what the loop carries. The next team's products may begin before.
static void finish(const LoopCarriedAccumulators &sums, ValueRange left,
                   Location loc, RewriterBase &b) {
  unsigned numResults = scf::ForOp(sums.loop).getNumResults();
  SmallVector<Value> results(left.take_front(numResults)), last;
  for (unsigned index : sums.indices)
    last.push_back(results[index]);
  if (findPass(sums))
    PingPongPassOp::create(b, loc);
  auto wait = WgmmaWaitOp::create(b, loc, TypeRange(last), last,
                                  /*pendings=*/0);
  for (auto [index, sum] : llvm::zip(sums.indices, wait.getResults()))
    results[index] = sum;
  for (Value slot : left.drop_front(numResults))
    RingReleaseOp::create(b, loc, slot);
  scf::YieldOp::create(b, loc, results);
}

/// Writes the first iteration on its own, and a branch for the others.
static void writeApart(const LoopCarriedAccumulators &sums, WgmmaWaitOp joined,
                       MutableArrayRef<RingReleaseOp> releases, Location loc,
                       RewriterBase &b) {
  scf::ForOp loop = sums.loop;
  SmallVector<Value> left = writeFirst(loop, joined, releases, b);
  Value second = arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                       loop.getStep());
  // Each way waits on its own: no product may be running where they join.
  auto goesOn = scf::IfOp::create(b, loop.getLoc(), loop.getResultTypes(),
                                  emitRuns(loop, second, b),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  scf::YieldOp::create(b, loop.getLoc(), goesOn.getResults());
  b.setInsertionPointToEnd(goesOn.elseBlock());
  finish(sums, left, loc, b);
  b.setInsertionPointToEnd(goesOn.thenBlock());
  scf::ForOp rest = writeRest(loop, second, left, releases, b);
  b.setInsertionPointAfter(rest);
  finish(sums, rest.getResults(), loc, b);
}

/// Writes all iterations as one loop, whose first one holds no slots.
static void writeWhole(const LoopCarriedAccumulators &sums,
                       MutableArrayRef<RingReleaseOp> releases, Location loc,
                       RewriterBase &b) {
  scf::ForOp loop = sums.loop;
  SmallVector<Value> left(loop.getInitArgs());
  for (RingReleaseOp release : releases)
    left.push_back(
        RingNoSlotOp::create(b, loop.getLoc(), release.getSlot().getType()));
  scf::ForOp rest = writeRest(loop, loop.getLowerBound(), left, releases, b);
  b.setInsertionPointToStart(rest.getBody());
  Value notFirst =
      arith::CmpIOp::create(b, rest.getLoc(), arith::CmpIPredicate::ne,
                            rest.getInductionVar(), rest.getLowerBound());
  for (RingReleaseOp release : releases)
    release.getConditionMutable().assign(notFirst);
  b.setInsertionPointAfter(rest);
  finish(sums, rest.getResults(), loc, b);
}

/// Registers of a thread that sums may take where something is done behind the
/// first products.
static constexpr int64_t kMostRegisters = 128;

/// Whether the sums leave registers for what can be done behind the first
/// products.
static bool leaveRegisters(const LoopCarriedAccumulators &sums) {
  int64_t registers = 0;
  for (WgmmaWaitOp wait : sums.waits)
    if (auto layout = getLayout(wait.getResult(0).getType()))
      registers += layout->getInSize(LayoutAxis::Register);
  return registers <= kMostRegisters;
}

static void delay(const LoopCarriedAccumulators &sums,
                  MutableArrayRef<RingReleaseOp> releases) {
  scf::ForOp loop = sums.loop;
  Location loc = WgmmaWaitOp(sums.waits.front()).getLoc();
  IRRewriter b(loc.getContext());
  // Behind the only loop the assembler takes it for a use of several sums that
  // the turn is passed (C7514).
  const bool isApart = leaveRegisters(sums) || findPass(sums);
  WgmmaWaitOp joined = joinWaits(sums, releases, b);
  llvm::sort(releases, [](RingReleaseOp a, RingReleaseOp b) {
    return a->isBeforeInBlock(b);
  });
  b.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, loop.getNumResults(), b);
  b.setInsertionPointToEnd(branch.thenBlock());
  if (isApart) {
    writeApart(sums, joined, releases, loc, b);
    b.setInsertionPointToStart(branch.elseBlock());
    UnlikelyOp::create(b, loc);
  } else {
    writeWhole(sums, releases, loc, b);
  }
  if (PingPongPassOp pass = findPass(sums)) {
    b.setInsertionPointToStart(branch.elseBlock());
    PingPongPassOp::create(b, loc);
    b.eraseOp(pass);
  }
  b.replaceOp(loop, branch.getResults());
}

/// Whether each sum has a register of its own. Sums of 16 bits are taken out of
/// their registers and put together again from iteration to iteration.
static bool haveRegisters(const LoopCarriedAccumulators &sums) {
  return llvm::all_of(sums.waits, [](WgmmaWaitOp wait) {
    return cast<RankedTensorType>(wait.getResult(0).getType())
               .getElementTypeBitWidth() == 32;
  });
}

namespace {
struct DeferWgmmaWaits : warp::impl::DeferWgmmaWaitsBase<DeferWgmmaWaits> {
  using DeferWgmmaWaitsBase::DeferWgmmaWaitsBase;

  void runOnOperation() override {
    guardExplicitWaits(getOperation());
    SmallVector<LoopCarriedAccumulators, 0> found;
    getOperation()->walk([&](scf::ForOp loop) {
      if (auto sums = findLoopCarriedAccumulators(loop))
        found.push_back(std::move(*sums));
    });
    for (LoopCarriedAccumulators &sums : found)
      visit(sums);
  }

  void visit(LoopCarriedAccumulators &sums) {
    constexpr auto kRemark =
        remark::RemarkOpts::name("LateWait").category("warp-defer-wgmma-waits");
    Location loc = WgmmaWaitOp(sums.waits.front()).getLoc();
    if (!haveRegisters(sums)) {
      remark::missed(loc, kRemark)
          << remark::add("waited for before the next iteration's product: two "
                         "of its sums share a register, float32 would not");
    } else if (auto releases = findReleases(sums);
               releases && (sums.made.empty() || fitsApart(sums.loop, limit))) {
      delay(sums, *releases);
      remark::passed(loc, kRemark) << remark::add(
          sums.made.empty()
              ? "waited for under the next iteration's product"
              : "waited for under the work on the next iteration's operands");
    } else {
      remark::missed(loc, kRemark)
          << remark::add("waited for before the next iteration's product: it "
                         "reads what that iteration may change");
    }
  }
};
} // namespace
