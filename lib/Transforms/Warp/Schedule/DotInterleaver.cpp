#include "lib/Transforms/Warp/Schedule/DotInterleaver.h"

#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Schedule/HoistIssue.h"
#include "lib/Transforms/Warp/Schedule/LoopEntry.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

RingWaitOp warp::getSlot(Value operand, scf::ForOp loop) {
  auto wait = getNamedMemory(operand).getDefiningOp<RingWaitOp>();
  return wait && wait->getBlock() == loop.getBody() ? wait : RingWaitOp();
}

bool warp::isCarriedOnly(Value value) {
  return value.hasOneUse() && isa<scf::YieldOp>(*value.user_begin());
}

namespace {

/// Rewrites one loop.
class Interleaver {
public:
  /// `mayDefer`: whether there are registers to keep wgmmas in flight into the
  /// next iteration.
  Interleaver(scf::ForOp loop, bool mayDefer)
      : loop(loop), mayDefer(mayDefer), body(loop.getBody()),
        b(loop.getContext()) {}

  /// Returns whether wgmmas stay in flight into the next iteration.
  bool rewrite();

private:
  void dropWaits();
  void findDeferred();
  void insertWaits();
  void carrySlots();

  bool followsWait(Value value);
  bool canDefer(WgmmaOp wgmma);
  SmallVector<Value> getLoopCarriedAccumulators(Operation *before);
  void waitFor(unsigned count, Operation *before);
  bool reads(WgmmaOp wgmma, RingReleaseOp release);
  void waitForReaders(RingReleaseOp release);

  scf::ForOp loop;
  bool mayDefer;
  Block *body;
  IRRewriter b;
  /// The wgmmas that are issued and not yet waited for, oldest first.
  SmallVector<WgmmaOp> inFlight;
  /// The wgmmas that the next iteration waits for.
  llvm::SmallSetVector<Operation *, 4> deferred;
  /// Releases of slots that `deferred` reads.
  SmallVector<RingReleaseOp> deferredReleases;
  /// Maps accumulators to the wgmmas that compute them.
  llvm::DenseMap<Value, WgmmaOp> wgmmaOf;
  WgmmaWaitOp firstWait;
};

} // namespace

void Interleaver::dropWaits() {
  for (WgmmaWaitOp wait :
       llvm::make_early_inc_range(body->getOps<WgmmaWaitOp>()))
    b.replaceOp(wait, wait.getAccumulators());
  for (WgmmaOp wgmma : body->getOps<WgmmaOp>())
    wgmmaOf[wgmma.getSingleResult()] = wgmma;
}

/// Whether `value` depends on a wgmma of this iteration, which is waited for.
bool Interleaver::followsWait(Value value) {
  llvm::SmallSetVector<Value, 16> open;
  open.insert(value);
  for (unsigned i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (!op || op->getBlock() != body)
      continue;
    if (isa<WgmmaOp>(op))
      return true;
    open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// Whether `wgmma` may stay in flight into the next iteration:
/// 1. Nothing needs its accumulator earlier.
/// 2. Its operands do not change until the first wait of that iteration.
bool Interleaver::canDefer(WgmmaOp wgmma) {
  // With two slots none is free to fill while both are held.
  constexpr int64_t kMinSlots = 3;
  Value acc = wgmma.getSingleResult();
  while (acc.hasOneUse()) {
    auto next = dyn_cast<WgmmaOp>(*acc.user_begin());
    if (!next || next.getSingleAcc() != acc)
      break;
    acc = next.getSingleResult();
  }
  if (!isCarriedOnly(acc))
    return false;
  unsigned index = acc.use_begin()->getOperandNumber();
  for (Operation *user : loop.getRegionIterArg(index).getUsers())
    if (auto next = dyn_cast<WgmmaOp>(user);
        !next || next.getSingleAcc() != loop.getRegionIterArg(index))
      return false;
  for (Value operand : wgmma.getMultiplicands()) {
    if (isa<RankedTensorType>(operand.getType())) {
      if (!loop.isDefinedOutsideOfLoop(operand) && !followsWait(operand))
        return false;
    } else if (RingWaitOp slot = getSlot(operand, loop)) {
      if (slot.getRing().getType().getNumSlots() < kMinSlots)
        return false;
    }
  }
  return true;
}

/// Collects the wgmmas that the next iteration waits for.
void Interleaver::findDeferred() {
  SmallVector<WgmmaOp> candidates;
  for (Operation &op : body->without_terminator()) {
    if (auto wgmma = dyn_cast<WgmmaOp>(op))
      candidates.push_back(wgmma);
    for (OpOperand &operand : op.getOpOperands()) {
      auto wgmma = wgmmaOf.lookup(operand.get());
      auto next = dyn_cast<WgmmaOp>(op);
      if (!wgmma || (next && next.getSingleAcc() == operand.get()))
        continue;
      auto found = llvm::find(candidates, wgmma);
      if (found != candidates.end())
        candidates.erase(candidates.begin(), found + 1);
    }
  }
  // A wait leaves only the newest wgmmas in flight, so the deferred ones must
  // be the last ones.
  for (WgmmaOp wgmma : llvm::reverse(candidates)) {
    if (!canDefer(wgmma))
      break;
    deferred.insert(wgmma);
  }
}

/// Returns the position among the iter_args of the accumulator that `wgmma`, a
/// deferred one, adds to.
static unsigned getCarriedIndex(Operation *wgmma) {
  Value acc = wgmma->getResult(0);
  while (isa<WgmmaOp>(*acc.user_begin()))
    acc = acc.user_begin()->getResult(0);
  return acc.use_begin()->getOperandNumber();
}

/// Returns the accumulators of the previous iteration's wgmmas, except those
/// that wgmmas before `before` add to.
SmallVector<Value> Interleaver::getLoopCarriedAccumulators(Operation *before) {
  SmallVector<Value> accs;
  for (Operation *op : deferred) {
    Value carried = loop.getRegionIterArg(getCarriedIndex(op));
    bool isTaken = llvm::any_of(carried.getUsers(), [&](Operation *user) {
      return user->isBeforeInBlock(before) && isa<WgmmaOp>(user);
    });
    if (!isTaken && !llvm::is_contained(accs, carried))
      accs.push_back(carried);
  }
  return accs;
}

/// Inserts a wait before `before` for the oldest `count` wgmmas in flight.
void Interleaver::waitFor(unsigned count, Operation *before) {
  if (count == 0)
    return;
  // One value for each chain of wgmmas: the last accumulator.
  llvm::SmallSetVector<Value, 4> accs;
  for (WgmmaOp wgmma : ArrayRef(inFlight).take_front(count)) {
    accs.remove(wgmma.getSingleAcc());
    accs.insert(wgmma.getSingleResult());
  }
  for (WgmmaOp wgmma : ArrayRef(inFlight).drop_front(count))
    accs.remove(wgmma.getSingleAcc());
  if (!firstWait)
    for (Value acc : getLoopCarriedAccumulators(before))
      accs.insert(acc);
  b.setInsertionPoint(before);
  auto wait = WgmmaWaitOp::create(b, inFlight[count - 1].getLoc(),
                                  TypeRange(accs.getArrayRef()),
                                  accs.getArrayRef(), inFlight.size() - count);
  for (auto [acc, result] : llvm::zip_equal(accs, wait.getResults())) {
    if (WgmmaOp wgmma = wgmmaOf.lookup(acc))
      wgmmaOf[result] = wgmma;
    b.replaceUsesWithIf(acc, result, [&](OpOperand &use) {
      return use.getOwner() != wait &&
             (use.getOwner() == before ||
              body->findAncestorOpInBlock(*use.getOwner())
                      ->isBeforeInBlock(wait) == false);
    });
  }
  inFlight.erase(inFlight.begin(), inFlight.begin() + count);
  if (!firstWait)
    firstWait = wait;
}

/// Whether `wgmma` reads the slot of `release`.
bool Interleaver::reads(WgmmaOp wgmma, RingReleaseOp release) {
  Operation *slot = release.getSlot().getDefiningOp();
  return getSlot(wgmma.getA(), loop) == slot ||
         getSlot(wgmma.getSingleB(), loop) == slot;
}

/// Waits before `release` for the wgmmas that read its slot.
void Interleaver::waitForReaders(RingReleaseOp release) {
  unsigned count = 0;
  for (auto [i, wgmma] : llvm::enumerate(inFlight))
    if (reads(wgmma, release))
      count = i + 1;
  waitFor(count, release);
}

void Interleaver::insertWaits() {
  SmallVector<RingReleaseOp> postponed;
  auto isDeferred = [&](RingReleaseOp release) {
    return llvm::any_of(deferred, [&](Operation *op) {
      return reads(cast<WgmmaOp>(op), release);
    });
  };
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      if (isDeferred(release)) {
        deferredReleases.push_back(release);
        continue;
      }
      // Deferred to the next wgmma: the release then overlaps the threads' work
      // on the accumulators that were waited for last.
      postponed.push_back(release);
      continue;
    }
    for (Value operand : llvm::to_vector(op.getOperands())) {
      WgmmaOp wgmma = wgmmaOf.lookup(operand);
      auto next = dyn_cast<WgmmaOp>(op);
      if (!wgmma || (next && next.getSingleAcc() == operand))
        continue;
      auto found = llvm::find(inFlight, wgmma);
      if (found == inFlight.end() || deferred.contains(wgmma))
        continue;
      waitFor(found - inFlight.begin() + 1, &op);
    }
    if (isa<WgmmaOp>(op) || &op == body->getTerminator()) {
      for (RingReleaseOp release : postponed) {
        b.moveOpBefore(release, &op);
        waitForReaders(release);
      }
      postponed.clear();
    }
    if (&op == body->getTerminator()) {
      unsigned count = 0;
      for (auto [i, wgmma] : llvm::enumerate(inFlight))
        if (!deferred.contains(wgmma))
          count = i + 1;
      waitFor(count, &op);
    }
    if (auto wgmma = dyn_cast<WgmmaOp>(op)) {
      inFlight.push_back(wgmma);
    }
  }
}

/// Carries the slots of deferred wgmmas to the wait of the next iteration, and
/// waits for the last ones after the loop.
void Interleaver::carrySlots() {
  Location loc = loop.getLoc();
  unsigned numResults = loop.getNumResults();
  b.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, numResults, b);
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> init(loop.getInitArgs());
  for (RingReleaseOp release : deferredReleases)
    init.push_back(RingNoSlotOp::create(b, loc, release.getSlot().getType()));
  auto rest =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), init, nullptr, loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  SmallVector<unsigned> indices;
  for (Operation *op : deferred) {
    unsigned index = getCarriedIndex(op);
    if (!llvm::is_contained(indices, index))
      indices.push_back(index);
  }
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  auto held = rest.getRegionIterArgs().take_back(deferredReleases.size());
  for (auto [release, slot] : llvm::zip_equal(deferredReleases, held)) {
    yield.getResultsMutable().append(release.getSlot());
    release.getSlotMutable().assign(slot);
    b.moveOpAfter(release, firstWait);
  }
  b.mergeBlocks(
      body, rest.getBody(),
      rest.getBody()->getArguments().drop_back(deferredReleases.size()));
  if (!deferredReleases.empty()) {
    b.setInsertionPointAfter(firstWait);
    Value notFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                              rest.getInductionVar(), rest.getLowerBound());
    for (RingReleaseOp release : deferredReleases)
      release.getConditionMutable().assign(notFirst);
  }
  b.setInsertionPointAfter(rest);
  SmallVector<Value> results(rest.getResults().take_front(numResults)), accs;
  for (unsigned index : indices)
    accs.push_back(results[index]);
  auto wait =
      WgmmaWaitOp::create(b, loc, TypeRange(accs), accs, /*pendings=*/0);
  for (auto [index, acc] : llvm::zip_equal(indices, wait.getResults()))
    results[index] = acc;
  for (Value slot : rest.getResults().take_back(deferredReleases.size()))
    RingReleaseOp::create(b, loc, slot);
  scf::YieldOp::create(b, loc, results);
  b.replaceOp(loop, branch.getResults());
}

bool Interleaver::rewrite() {
  hoistDots(loop, b);
  hoistLoads(loop, b);
  dropWaits();
  if (mayDefer)
    findDeferred();
  insertWaits();
  if (!deferred.empty())
    carrySlots();
  return !deferred.empty();
}

bool warp::interleaveDots(scf::ForOp loop, bool mayDefer) {
  return Interleaver(loop, mayDefer).rewrite();
}
