#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
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

/// Moves `releases` to after `position`, and the threads' copies into their
/// slots to after them. Only slots that threads fill themselves count. A
/// barrier precedes the copies, since the wgmmas of other warps read these
/// slots in the previous iteration.
static void fillAfter(Operation *position, ArrayRef<RingReleaseOp> releases,
                      IRRewriter &rewriter) {
  auto loop = cast<scf::ForOp>(position->getParentOp());
  SmallVector<RingAcquireOp> fills;
  Operation *last = position;
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
  last = BarrierOp::create(rewriter, position->getLoc());
  for (RingAcquireOp acquire : fills) {
    llvm::SmallSetVector<Operation *, 16> fill;
    fill.insert(acquire);
    fill.insert_range(acquire->getUsers());
    addDependencesAfter(fill, last);
    auto ops = fill.takeVector();
    llvm::sort(
        ops, [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
    for (Operation *op : ops) {
      rewriter.moveOpAfter(op, last);
      last = op;
    }
  }
}

/// Returns the last wgmma of the block of `wait`, or `wait` if there is none.
static Operation *findLastDot(WgmmaWaitOp wait) {
  Operation *last = wait;
  for (Operation &op : *wait->getBlock())
    if (isa<WgmmaOp>(op))
      last = &op;
  return last;
}

/// Merges all waits into one for the wgmmas of the previous iteration, followed
/// by the releases. It comes after the last wgmma, or before the first store of
/// a computed operand.
static WgmmaWaitOp mergeWaits(const LoopCarriedAccumulators &accs,
                              ArrayRef<RingReleaseOp> releases,
                              IRRewriter &rewriter) {
  if (!accs.computed.empty()) {
    // Computed here, since the ops are replaced below.
    bool isStored = llvm::any_of(
        accs.computed, [](Operation *op) { return isa<AllocOp>(op); });
    WgmmaWaitOp merged =
        waitBeforeStores(accs.loop, accs.computed.getArrayRef(), accs.waits,
                         accs.indices, releases, rewriter);
    // Without a store, the wgmmas need not wait for the barrier before the
    // copies.
    fillAfter(isStored ? merged : findLastDot(merged), releases, rewriter);
    return merged;
  }
  SmallVector<Value> waited;
  for (WgmmaWaitOp wait : accs.waits)
    waited.push_back(wait.getAccumulators()[0]);
  WgmmaWaitOp last = accs.waits.back();
  rewriter.setInsertionPoint(last);
  auto merged = WgmmaWaitOp::create(rewriter, last.getLoc(), TypeRange(waited),
                                    waited, accs.numDots);
  for (RingReleaseOp release : llvm::reverse(releases))
    if (release->isBeforeInBlock(merged))
      rewriter.moveOpAfter(release, merged);
  for (auto [wait, result] : llvm::zip(accs.waits, merged.getResults()))
    rewriter.replaceOp(wait, result);
  fillAfter(merged, releases, rewriter);
  return merged;
}

/// Emits the first iteration of `loop`, which has no earlier wgmmas to wait for
/// and no slots to release. Returns its yielded values and its slots.
static SmallVector<Value> writeFirst(scf::ForOp loop, WgmmaWaitOp wait,
                                     ArrayRef<RingReleaseOp> releases,
                                     RewriterBase &b) {
  IRMapping map;
  map.map(loop.getInductionVar(), loop.getLowerBound());
  map.map(loop.getRegionIterArgs(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (&op == wait)
      for (auto [result, acc] :
           llvm::zip_equal(wait.getResults(), wait.getAccumulators()))
        map.map(result, map.lookup(acc));
    else if (!llvm::is_contained(releases, &op))
      b.clone(op, map);
  }
  SmallVector<Value> state;
  for (Value value : loop.getYieldedValues())
    state.push_back(map.lookupOrDefault(value));
  for (RingReleaseOp release : releases)
    state.push_back(map.lookup(release.getSlot()));
  return state;
}

/// Emits the iterations from `first` on. Each holds the slots of the previous
/// one until it has waited for that one's wgmmas.
static scf::ForOp writeRest(scf::ForOp loop, Value first, ArrayRef<Value> state,
                            MutableArrayRef<RingReleaseOp> releases,
                            RewriterBase &b) {
  auto rest =
      scf::ForOp::create(b, loop.getLoc(), first, loop.getUpperBound(),
                         loop.getStep(), state, nullptr, loop.getUnsignedCmp());
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

/// Returns the op right after the loop that lets the next ping-pong group
/// begin, or null. That group may begin before the last wgmmas are done.
static PingPongPassOp findPass(const LoopCarriedAccumulators &accs) {
  return dyn_cast_or_null<PingPongPassOp>(scf::ForOp(accs.loop)->getNextNode());
}

/// Waits for the last wgmmas, releases their slots, and yields the results of
/// the loop. `state` has the yielded values and the slots. The next ping-pong
/// group may begin before the wait.
static void finish(const LoopCarriedAccumulators &accs, ValueRange state,
                   Location loc, RewriterBase &b) {
  unsigned numResults = scf::ForOp(accs.loop).getNumResults();
  SmallVector<Value> results(state.take_front(numResults)), last;
  for (unsigned index : accs.indices)
    last.push_back(results[index]);
  if (findPass(accs))
    PingPongPassOp::create(b, loc);
  auto wait = WgmmaWaitOp::create(b, loc, TypeRange(last), last,
                                  /*pendings=*/0);
  for (auto [index, acc] : llvm::zip(accs.indices, wait.getResults()))
    results[index] = acc;
  for (Value slot : state.drop_front(numResults))
    RingReleaseOp::create(b, loc, slot);
  scf::YieldOp::create(b, loc, results);
}

/// Peels the first iteration and puts the others into a branch.
static void writePeeled(const LoopCarriedAccumulators &accs, WgmmaWaitOp merged,
                        MutableArrayRef<RingReleaseOp> releases, Location loc,
                        RewriterBase &b) {
  scf::ForOp loop = accs.loop;
  SmallVector<Value> state = writeFirst(loop, merged, releases, b);
  Value second = arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                       loop.getStep());
  // Each region has its own wait: no wgmma may be in flight where control flow
  // joins.
  auto goesOn = scf::IfOp::create(b, loop.getLoc(), loop.getResultTypes(),
                                  emitRuns(loop, second, b),
                                  /*addThenBlock=*/true, /*addElseBlock=*/true);
  scf::YieldOp::create(b, loop.getLoc(), goesOn.getResults());
  b.setInsertionPointToEnd(goesOn.elseBlock());
  finish(accs, state, loc, b);
  b.setInsertionPointToEnd(goesOn.thenBlock());
  scf::ForOp rest = writeRest(loop, second, state, releases, b);
  b.setInsertionPointAfter(rest);
  finish(accs, rest.getResults(), loc, b);
}

/// Emits all iterations as one loop, whose first one holds no slots.
static void writeUnpeeled(const LoopCarriedAccumulators &accs,
                          MutableArrayRef<RingReleaseOp> releases, Location loc,
                          RewriterBase &b) {
  scf::ForOp loop = accs.loop;
  SmallVector<Value> state(loop.getInitArgs());
  for (RingReleaseOp release : releases)
    state.push_back(
        RingNoSlotOp::create(b, loop.getLoc(), release.getSlot().getType()));
  scf::ForOp rest = writeRest(loop, loop.getLowerBound(), state, releases, b);
  b.setInsertionPointToStart(rest.getBody());
  Value notFirst =
      arith::CmpIOp::create(b, rest.getLoc(), arith::CmpIPredicate::ne,
                            rest.getInductionVar(), rest.getLowerBound());
  for (RingReleaseOp release : releases)
    release.getConditionMutable().assign(notFirst);
  b.setInsertionPointAfter(rest);
  finish(accs, rest.getResults(), loc, b);
}

/// Whether the accumulators leave registers for the work that overlaps the
/// first wgmmas.
static bool leaveRegisters(const LoopCarriedAccumulators &accs) {
  int64_t registers = 0;
  for (WgmmaWaitOp wait : accs.waits)
    if (auto layout = getLayout(wait.getResult(0).getType()))
      registers += layout->getInSize(LayoutAxis::Register);
  return registers <= OccupancyParameters::kMaxPeeledAccs;
}

static void defer(const LoopCarriedAccumulators &accs,
                  MutableArrayRef<RingReleaseOp> releases) {
  scf::ForOp loop = accs.loop;
  Location loc = WgmmaWaitOp(accs.waits.front()).getLoc();
  IRRewriter b(loc.getContext());
  // After an unpeeled loop, ptxas takes the pass to the next ping-pong group
  // for a use of several accumulators (C7514).
  const bool isPeeled = leaveRegisters(accs) || findPass(accs);
  WgmmaWaitOp merged = mergeWaits(accs, releases, b);
  llvm::sort(releases, [](RingReleaseOp a, RingReleaseOp b) {
    return a->isBeforeInBlock(b);
  });
  b.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, loop.getNumResults(), b);
  b.setInsertionPointToEnd(branch.thenBlock());
  if (isPeeled) {
    writePeeled(accs, merged, releases, loc, b);
    b.setInsertionPointToStart(branch.elseBlock());
    UnlikelyOp::create(b, loc);
  } else {
    writeUnpeeled(accs, releases, loc, b);
  }
  if (PingPongPassOp pass = findPass(accs)) {
    b.setInsertionPointToStart(branch.elseBlock());
    PingPongPassOp::create(b, loc);
    b.eraseOp(pass);
  }
  b.replaceOp(loop, branch.getResults());
}

/// Whether each accumulator element has its own register. Elements of 16 bits
/// are unpacked and packed again in each iteration.
static bool haveRegisters(const LoopCarriedAccumulators &accs) {
  return llvm::all_of(accs.waits, [](WgmmaWaitOp wait) {
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
      if (auto accs = findLoopCarriedAccumulators(loop))
        found.push_back(std::move(*accs));
    });
    for (LoopCarriedAccumulators &accs : found)
      visit(accs);
  }

  void visit(LoopCarriedAccumulators &accs) {
    constexpr auto kRemark =
        remark::RemarkOpts::name("LateWait").category("warp-defer-wgmma-waits");
    Location loc = WgmmaWaitOp(accs.waits.front()).getLoc();
    if (!haveRegisters(accs)) {
      remark::missed(loc, kRemark) << remark::add(
          "waited for before the next iteration's dot: two of "
          "its accumulators share a register, float32 would not");
    } else if (auto releases = findReleases(accs);
               releases &&
               (accs.computed.empty() || fitsDisjoint(accs.loop, limit))) {
      defer(accs, *releases);
      remark::passed(loc, kRemark) << remark::add(
          accs.computed.empty()
              ? "waited for while the next iteration's dot runs"
              : "runs while the next iteration's operands are computed");
    } else {
      remark::missed(loc, kRemark)
          << remark::add("waited for before the next iteration's dot: it "
                         "reads data that the next iteration may change");
    }
  }
};
} // namespace
