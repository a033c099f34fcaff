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

/// Writes a loop anew.
class Interleaver {
public:
  /// `lasts`: whether there are registers for products to run into the next
  /// iteration.
  Interleaver(scf::ForOp loop, bool lasts)
      : loop(loop), lasts(lasts), body(loop.getBody()), b(loop.getContext()) {}

  /// Gives whether products run into the next iteration.
  bool write();

private:
  void dropWaits();
  void findLasting();
  void placeWaits();
  void carrySlots();

  bool followsWait(Value value);
  bool canLast(WgmmaOp product);
  SmallVector<Value> getLoopCarriedAccumulators(Operation *before);
  void waitFor(unsigned count, Operation *before);
  bool reads(WgmmaOp product, RingReleaseOp release);
  void giveBack(RingReleaseOp release);

  scf::ForOp loop;
  bool lasts;
  Block *body;
  IRRewriter b;
  /// The products that are started and not waited for, the oldest first.
  SmallVector<WgmmaOp> running;
  /// Those that the next iteration waits for.
  llvm::SmallSetVector<Operation *, 4> lasting;
  /// Releases of slots that `lasting` reads.
  SmallVector<RingReleaseOp> late;
  /// The values that are sums of products, and the products.
  llvm::DenseMap<Value, WgmmaOp> products;
  WgmmaWaitOp firstWait;
};

} // namespace

void Interleaver::dropWaits() {
  for (WgmmaWaitOp wait :
       llvm::make_early_inc_range(body->getOps<WgmmaWaitOp>()))
    b.replaceOp(wait, wait.getAccumulators());
  for (WgmmaOp product : body->getOps<WgmmaOp>())
    products[product.getResult()] = product;
}

/// Whether `value` depends on a sum of this iteration, which is waited for.
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

/// Whether `product` may run into the next iteration: nothing needs its sum
/// before, and what it reads stays as it is until the first wait there.
bool Interleaver::canLast(WgmmaOp product) {
  constexpr int64_t kEnoughSlots = 3;
  Value sum = product.getResult();
  while (sum.hasOneUse()) {
    auto next = dyn_cast<WgmmaOp>(*sum.user_begin());
    if (!next || next.getAcc() != sum)
      break;
    sum = next.getResult();
  }
  if (!isCarriedOnly(sum))
    return false;
  unsigned index = sum.use_begin()->getOperandNumber();
  for (Operation *user : loop.getRegionIterArg(index).getUsers())
    if (auto next = dyn_cast<WgmmaOp>(user);
        !next || next.getAcc() != loop.getRegionIterArg(index))
      return false;
  for (Value operand : {Value(product.getA()), Value(product.getB())}) {
    if (isa<RankedTensorType>(operand.getType())) {
      if (!loop.isDefinedOutsideOfLoop(operand) && !followsWait(operand))
        return false;
    } else if (RingWaitOp slot = getSlot(operand, loop)) {
      if (slot.getRing().getType().getNumSlots() < kEnoughSlots)
        return false;
    }
  }
  return true;
}

/// The products that the next iteration waits for.
void Interleaver::findLasting() {
  SmallVector<WgmmaOp> started;
  for (Operation &op : body->without_terminator()) {
    if (auto product = dyn_cast<WgmmaOp>(op))
      started.push_back(product);
    for (OpOperand &operand : op.getOpOperands()) {
      auto product = products.lookup(operand.get());
      auto next = dyn_cast<WgmmaOp>(op);
      if (!product || (next && next.getAcc() == operand.get()))
        continue;
      auto found = llvm::find(started, product);
      if (found != started.end())
        started.erase(started.begin(), found + 1);
    }
  }
  // Those behind one that can not last can not be told from it.
  for (WgmmaOp product : llvm::reverse(started)) {
    if (!canLast(product))
      break;
    lasting.insert(product);
  }
}

/// Which of the values that its loop carries `product`, which lasts, adds to.
static unsigned getCarriedIndex(Operation *product) {
  Value sum = product->getResult(0);
  while (isa<WgmmaOp>(*sum.user_begin()))
    sum = sum.user_begin()->getResult(0);
  return sum.use_begin()->getOperandNumber();
}

/// The sums that the products of the iteration before add to, less those that
/// products in front of `before` add to.
SmallVector<Value> Interleaver::getLoopCarriedAccumulators(Operation *before) {
  SmallVector<Value> sums;
  for (Operation *op : lasting) {
    Value carried = loop.getRegionIterArg(getCarriedIndex(op));
    bool isTaken = llvm::any_of(carried.getUsers(), [&](Operation *user) {
      return user->isBeforeInBlock(before) && isa<WgmmaOp>(user);
    });
    if (!isTaken && !llvm::is_contained(sums, carried))
      sums.push_back(carried);
  }
  return sums;
}

/// Waits in front of `before` for the oldest `count` of the running products.
void Interleaver::waitFor(unsigned count, Operation *before) {
  if (count == 0)
    return;
  // One value for each sum: of a chain the last.
  llvm::SmallSetVector<Value, 4> sums;
  for (WgmmaOp product : ArrayRef(running).take_front(count)) {
    sums.remove(product.getAcc());
    sums.insert(product.getResult());
  }
  for (WgmmaOp product : ArrayRef(running).drop_front(count))
    sums.remove(product.getAcc());
  if (!firstWait)
    for (Value sum : getLoopCarriedAccumulators(before))
      sums.insert(sum);
  b.setInsertionPoint(before);
  auto wait = WgmmaWaitOp::create(b, running[count - 1].getLoc(),
                                  TypeRange(sums.getArrayRef()),
                                  sums.getArrayRef(), running.size() - count);
  for (auto [sum, result] : llvm::zip_equal(sums, wait.getResults())) {
    if (WgmmaOp product = products.lookup(sum))
      products[result] = product;
    b.replaceUsesWithIf(sum, result, [&](OpOperand &use) {
      return use.getOwner() != wait &&
             (use.getOwner() == before ||
              body->findAncestorOpInBlock(*use.getOwner())
                      ->isBeforeInBlock(wait) == false);
    });
  }
  running.erase(running.begin(), running.begin() + count);
  if (!firstWait)
    firstWait = wait;
}

/// Whether `product` reads the slot that is given back by `release`.
bool Interleaver::reads(WgmmaOp product, RingReleaseOp release) {
  Operation *slot = release.getSlot().getDefiningOp();
  return getSlot(product.getA(), loop) == slot ||
         getSlot(product.getB(), loop) == slot;
}

/// Gives back a slot behind the products that read it.
void Interleaver::giveBack(RingReleaseOp release) {
  unsigned count = 0;
  for (auto [i, product] : llvm::enumerate(running))
    if (reads(product, release))
      count = i + 1;
  waitFor(count, release);
}

void Interleaver::placeWaits() {
  SmallVector<RingReleaseOp> put;
  auto lasts = [&](RingReleaseOp release) {
    return llvm::any_of(lasting, [&](Operation *op) {
      return reads(cast<WgmmaOp>(op), release);
    });
  };
  for (Operation &op : llvm::make_early_inc_range(*body)) {
    if (auto release = dyn_cast<RingReleaseOp>(op)) {
      if (lasts(release)) {
        late.push_back(release);
        continue;
      }
      // Under the work on what was waited for last: not at once.
      put.push_back(release);
      continue;
    }
    for (Value operand : llvm::to_vector(op.getOperands())) {
      WgmmaOp product = products.lookup(operand);
      auto next = dyn_cast<WgmmaOp>(op);
      if (!product || (next && next.getAcc() == operand))
        continue;
      auto found = llvm::find(running, product);
      if (found == running.end() || lasting.contains(product))
        continue;
      waitFor(found - running.begin() + 1, &op);
    }
    if (isa<WgmmaOp>(op) || &op == body->getTerminator()) {
      for (RingReleaseOp release : put) {
        b.moveOpBefore(release, &op);
        giveBack(release);
      }
      put.clear();
    }
    if (&op == body->getTerminator()) {
      unsigned count = 0;
      for (auto [i, product] : llvm::enumerate(running))
        if (!lasting.contains(product))
          count = i + 1;
      waitFor(count, &op);
    }
    if (auto product = dyn_cast<WgmmaOp>(op)) {
      running.push_back(product);
    }
  }
}

/// Carries the slots that products of the last iteration read to where they
/// are waited for, and waits behind the loop for the last ones.
void Interleaver::carrySlots() {
  Location loc = loop.getLoc();
  unsigned numResults = loop.getNumResults();
  b.setInsertionPoint(loop);
  scf::IfOp branch = createIfEntered(loop, numResults, b);
  b.setInsertionPointToEnd(branch.thenBlock());
  SmallVector<Value> init(loop.getInitArgs());
  for (RingReleaseOp release : late)
    init.push_back(RingNoSlotOp::create(b, loc, release.getSlot().getType()));
  auto rest =
      scf::ForOp::create(b, loc, loop.getLowerBound(), loop.getUpperBound(),
                         loop.getStep(), init, nullptr, loop.getUnsignedCmp());
  rest->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  SmallVector<unsigned> indices;
  for (Operation *op : lasting) {
    unsigned index = getCarriedIndex(op);
    if (!llvm::is_contained(indices, index))
      indices.push_back(index);
  }
  auto yield = cast<scf::YieldOp>(body->getTerminator());
  auto held = rest.getRegionIterArgs().take_back(late.size());
  for (auto [release, slot] : llvm::zip_equal(late, held)) {
    yield.getResultsMutable().append(release.getSlot());
    release.getSlotMutable().assign(slot);
    b.moveOpAfter(release, firstWait);
  }
  b.mergeBlocks(body, rest.getBody(),
                rest.getBody()->getArguments().drop_back(late.size()));
  if (!late.empty()) {
    b.setInsertionPointAfter(firstWait);
    Value notFirst =
        arith::CmpIOp::create(b, loc, arith::CmpIPredicate::ne,
                              rest.getInductionVar(), rest.getLowerBound());
    for (RingReleaseOp release : late)
      release.getConditionMutable().assign(notFirst);
  }
  b.setInsertionPointAfter(rest);
  SmallVector<Value> results(rest.getResults().take_front(numResults)), sums;
  for (unsigned index : indices)
    sums.push_back(results[index]);
  auto wait =
      WgmmaWaitOp::create(b, loc, TypeRange(sums), sums, /*pendings=*/0);
  for (auto [index, sum] : llvm::zip_equal(indices, wait.getResults()))
    results[index] = sum;
  for (Value slot : rest.getResults().take_back(late.size()))
    RingReleaseOp::create(b, loc, slot);
  scf::YieldOp::create(b, loc, results);
  b.replaceOp(loop, branch.getResults());
}

bool Interleaver::write() {
  hoistDots(loop, b);
  raiseLoads(loop, b);
  dropWaits();
  if (lasts)
    findLasting();
  placeWaits();
  if (!lasting.empty())
    carrySlots();
  return !lasting.empty();
}

bool warp::interleaveDots(scf::ForOp loop, bool lasts) {
  return Interleaver(loop, lasts).write();
}
