// Runs the second of two products that depend on each other under what comes
// between them in the next iteration. Attention is such a loop: the output's
// product needs the probabilities, these need the scores' product.

#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"
#include "lib/Transforms/Warp/Schedule/LoopEntry.h"

#include "mlir/IR/IRMapping.h"
#include "mlir/IR/Remarks.h"
#include "mlir/Interfaces/SideEffectInterfaces.h"
#include "llvm/ADT/SetVector.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_PIPELINECHAINEDDOTS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

//===----------------------------------------------------------------------===//
// Plan
//===----------------------------------------------------------------------===//

namespace {

/// A loop whose last product can be done one iteration late.
struct Overlap {
  scf::ForOp loop;
  /// The first wait, for the products that the others depend on.
  WgmmaWaitOp firstWait;
  /// The product to put off, and the wait for it.
  WgmmaOp late;
  WgmmaWaitOp lateWait;
  /// Of the values that the loop carries, the number of the late product's sum.
  unsigned index;
  /// The late product's slot, if it reads one, and where that is given back.
  RingWaitOp slot;
  RingReleaseOp release;
  /// All that is put off, in order.
  llvm::SmallSetVector<Operation *, 8> lateOps;
  /// What needs the late product's sum of the iteration before.
  llvm::SmallSetVector<Operation *, 8> afterLate;
};

} // namespace

static SmallVector<WgmmaWaitOp> getWaits(scf::ForOp loop) {
  return llvm::to_vector(loop.getBody()->getOps<WgmmaWaitOp>());
}

/// Whether all products and waits of `loop` stand in its body itself.
static bool isFlat(scf::ForOp loop) {
  return !loop.getBody()
              ->walk([&](Operation *op) {
                return isa<WgmmaOp, WgmmaWaitOp>(op) &&
                               op->getBlock() != loop.getBody()
                           ? WalkResult::interrupt()
                           : WalkResult::advance();
              })
              .wasInterrupted();
}

/// Finds the product that adds to a sum that the loop carries, with a left side
/// in registers, and that the iteration itself does not need.
static bool findLateDot(Overlap &overlap) {
  WgmmaWaitOp wait = overlap.lateWait;
  if (wait.getAccumulators().size() != 1 || wait.getPendings() != 0)
    return false;
  auto product = wait.getAccumulators()[0].getDefiningOp<WgmmaOp>();
  Value sum = wait.getResult(0);
  if (!product || product->getBlock() != wait->getBlock() ||
      !product.getResult().hasOneUse() ||
      !isa<RankedTensorType>(product.getA().getType()) || !sum.hasOneUse() ||
      !isa<scf::YieldOp>(*sum.user_begin()))
    return false;
  overlap.late = product;
  overlap.index = sum.use_begin()->getOperandNumber();
  return true;
}

/// Collects the late product with its wait and, where its right side is in a
/// slot, with that.
static bool collectLateOps(Overlap &overlap) {
  Block *body = overlap.loop.getBody();
  SmallVector<Operation *> views;
  Value memory = overlap.late.getB();
  while (auto view = memory.getDefiningOp<SharedTransposeOp>()) {
    if (view->getBlock() == body)
      views.push_back(view);
    memory = view.getSource();
  }
  if (!overlap.loop.isDefinedOutsideOfLoop(memory)) {
    overlap.slot = memory.getDefiningOp<RingWaitOp>();
    if (!overlap.slot || overlap.slot->getBlock() != body ||
        overlap.slot.getTiles().size() != 1 ||
        overlap.slot.getRing().getType().getCompletion() !=
            Completion::Transactions)
      return false;
    overlap.lateOps.insert(overlap.slot);
  }
  overlap.lateOps.insert(views.rbegin(), views.rend());
  overlap.lateOps.insert(overlap.late);
  overlap.lateOps.insert(overlap.lateWait);
  if (!overlap.slot)
    return true;
  Value slot = overlap.slot.getSlot();
  overlap.release =
      slot.hasOneUse() ? dyn_cast<RingReleaseOp>(*slot.user_begin()) : nullptr;
  if (!overlap.release || overlap.release->getBlock() != body ||
      overlap.release.getCondition() ||
      overlap.release->isBeforeInBlock(overlap.lateWait))
    return false;
  overlap.lateOps.insert(overlap.release);
  return true;
}

/// Whether the late ops are used by each other and the loop's end only, and no
/// other op takes from their ring, whose slots must stay in turn.
static bool isSelfContained(const Overlap &overlap) {
  for (Operation *op : overlap.lateOps)
    for (Operation *user : op->getUsers())
      if (!overlap.lateOps.contains(user) && !isa<scf::YieldOp>(user))
        return false;
  if (!overlap.slot)
    return true;
  scf::ForOp loop = overlap.loop;
  RingWaitOp slot = overlap.slot;
  return llvm::all_of(slot.getRing().getUsers(), [&](Operation *user) {
    return user == slot || !isa<RingWaitOp>(user) || !loop->isAncestor(user);
  });
}

/// Collects what uses the carried sum, and what follows from it, which must
/// wait for the late product. The products that come before can not be among
/// it.
static bool collectAfterLate(Overlap &overlap) {
  SmallVector<Value> open{overlap.loop.getRegionIterArg(overlap.index)};
  while (!open.empty()) {
    Value value = open.pop_back_val();
    for (Operation *user : value.getUsers()) {
      if (isa<scf::YieldOp>(user) || overlap.lateOps.contains(user))
        continue;
      if (user->getBlock() != overlap.loop.getBody() ||
          !isMemoryEffectFree(user) || isa<WgmmaOp, WgmmaWaitOp>(user))
        return false;
      if (overlap.afterLate.insert(user))
        llvm::append_range(open, user->getResults());
    }
  }
  // The conversion of the left side is best done when the late product no
  // longer reads that of the iteration before: both then share registers.
  Operation *convert = overlap.late.getA().getDefiningOp();
  if (convert && convert->getBlock() == overlap.loop.getBody() &&
      isMemoryEffectFree(convert) && convert->getResult(0).hasOneUse() &&
      !isa<WgmmaWaitOp>(convert))
    overlap.afterLate.insert(convert);
  return true;
}

/// Whether the late product's left side depends on what the first wait is for.
static bool isChained(const Overlap &overlap) {
  WgmmaWaitOp firstWait = overlap.firstWait;
  llvm::SmallSetVector<Value, 16> open;
  open.insert(WgmmaOp(overlap.late).getA());
  for (unsigned i = 0; i < open.size(); ++i) {
    Operation *op = open[i].getDefiningOp();
    if (op == firstWait)
      return true;
    if (op && op->getBlock() == firstWait->getBlock())
      open.insert(op->operand_begin(), op->operand_end());
  }
  return false;
}

/// The registers of a thread that are taken while both products run: the sums
/// of both, the left side of the late one, and what else the loop carries.
static int64_t countTaken(const Overlap &overlap) {
  scf::ForOp loop = overlap.loop;
  WgmmaOp late = overlap.late;
  WgmmaWaitOp firstWait = overlap.firstWait;
  int64_t taken = countCarried(loop) + countRegisters(late.getA().getType());
  for (Value sum : firstWait.getAccumulators())
    taken += countRegisters(sum.getType());
  return taken;
}

static std::optional<Overlap> findOverlap(scf::ForOp loop) {
  SmallVector<WgmmaWaitOp> waits = getWaits(loop);
  if (waits.size() < 2 || !isFlat(loop))
    return std::nullopt;
  Overlap overlap;
  overlap.loop = loop;
  overlap.firstWait = waits.front();
  overlap.lateWait = waits.back();
  if (overlap.firstWait.getPendings() != 0 || !findLateDot(overlap) ||
      !collectLateOps(overlap) || !isSelfContained(overlap) ||
      !collectAfterLate(overlap) || !isChained(overlap))
    return std::nullopt;
  return overlap;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

namespace {

/// Writes a loop of an `Overlap` anew.
class OverlapWriter {
public:
  OverlapWriter(const Overlap &overlap, IRRewriter &b)
      : overlap(overlap), loop(overlap.loop), late(overlap.late), b(b) {}

  void write();

private:
  /// What an iteration leaves to the next one: the values that the loop
  /// carries, with the sum to add to in place of the sum, and the left side of
  /// the late product.
  using Left = SmallVector<Value>;

  Left writeFirst();
  Left writeBody(Value iv, ValueRange left);
  scf::ForOp writeLoop(const Left &left);
  SmallVector<Value> writeLast(ValueRange left);

  /// The late product of the iteration that left `left`.
  void startLate(IRMapping &map, ValueRange left);
  Value finishLate(IRMapping &map);
  Left getLeft(const IRMapping &map);
  IRMapping enter(Value iv, ValueRange carried);

  const Overlap &overlap;
  scf::ForOp loop;
  WgmmaOp late;
  IRRewriter &b;
};

} // namespace

IRMapping OverlapWriter::enter(Value iv, ValueRange carried) {
  IRMapping map;
  map.map(loop.getInductionVar(), iv);
  for (auto [argument, value] : llvm::zip(loop.getRegionIterArgs(), carried))
    map.map(argument, value);
  return map;
}

OverlapWriter::Left OverlapWriter::getLeft(const IRMapping &map) {
  Left left = llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return map.lookupOrDefault(value);
  });
  left[overlap.index] = map.lookupOrDefault(late.getAcc());
  left.push_back(map.lookupOrDefault(late.getA()));
  return left;
}

void OverlapWriter::startLate(IRMapping &map, ValueRange left) {
  IRMapping before = map;
  before.map(late.getA(), left.back());
  before.map(late.getAcc(), left[overlap.index]);
  for (Operation *op : overlap.lateOps) {
    if (op == overlap.lateWait)
      break;
    b.clone(*op, before);
  }
  map.map(late.getResult(), before.lookup(late.getResult()));
  if (RingWaitOp slot = overlap.slot)
    map.map(slot.getSlot(), before.lookup(slot.getSlot()));
}

Value OverlapWriter::finishLate(IRMapping &map) {
  WgmmaWaitOp wait = overlap.lateWait;
  b.clone(*wait, map);
  if (overlap.release)
    b.clone(*overlap.release, map);
  return map.lookup(wait.getResult(0));
}

/// The iteration without its late product.
OverlapWriter::Left OverlapWriter::writeFirst() {
  IRMapping map = enter(loop.getLowerBound(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!overlap.lateOps.contains(&op))
      b.clone(op, map);
  return getLeft(map);
}

/// The iteration with the late product of the one before.
OverlapWriter::Left OverlapWriter::writeBody(Value iv, ValueRange left) {
  IRMapping map = enter(iv, left);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (overlap.lateOps.contains(&op) || overlap.afterLate.contains(&op))
      continue;
    if (&op == overlap.firstWait)
      startLate(map, left);
    Operation *copy = b.clone(op, map);
    if (&op == overlap.firstWait)
      cast<WgmmaWaitOp>(copy).setPendings(1);
  }
  map.map(loop.getRegionIterArg(overlap.index), finishLate(map));
  for (Operation &op : loop.getBody()->without_terminator())
    if (overlap.afterLate.contains(&op))
      b.clone(op, map);
  return getLeft(map);
}

scf::ForOp OverlapWriter::writeLoop(const Left &left) {
  Value second = arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                       loop.getStep());
  auto body = [&](OpBuilder &, Location loc, Value iv, ValueRange carried) {
    scf::YieldOp::create(b, loc, writeBody(iv, carried));
  };
  // The builder that the loop is made with is `b`, so the body goes into it.
  auto copy =
      scf::ForOp::create(b, loop.getLoc(), second, loop.getUpperBound(),
                         loop.getStep(), left, body, loop.getUnsignedCmp());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return copy;
}

/// The late product of the last iteration.
SmallVector<Value> OverlapWriter::writeLast(ValueRange left) {
  IRMapping map;
  startLate(map, left);
  SmallVector<Value> results(left.drop_back());
  results[overlap.index] = finishLate(map);
  return results;
}

void OverlapWriter::write() {
  b.setInsertionPoint(loop);
  auto branch = createIfEntered(loop, loop.getNumResults(), b);
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::ForOp copy = writeLoop(writeFirst());
  b.setInsertionPointToEnd(branch.thenBlock());
  scf::YieldOp::create(b, loop.getLoc(), writeLast(copy.getResults()));
  b.replaceOp(loop, branch.getResults());
}

//===----------------------------------------------------------------------===//
// Choice
//===----------------------------------------------------------------------===//

static unsigned countOps(scf::ForOp loop) {
  unsigned count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count;
}

/// Whether both products may run at once; a remark tells why not.
static bool hasRegisters(const Overlap &overlap) {
  constexpr auto kRemark = remark::RemarkOpts::name("Overlapped")
                               .category("warp-pipeline-chained-dots");
  WgmmaOp late = overlap.late;
  int64_t taken = countTaken(overlap);
  if (hasRegistersFor(late, taken, /*asked=*/0))
    return true;
  remark::missed(late.getLoc(), kRemark) << remark::add(
      "is waited for at once: under the next iteration's first product both "
      "would take {0} registers of a thread",
      taken);
  return false;
}

/// Whether `loop` goes on where one of the others ended, or the other way
/// round, and does more in an iteration than that one. Kernels split a loop in
/// parts, as attention does at its diagonal, so that the longest part does
/// least.
static bool isShortPart(scf::ForOp loop, ArrayRef<Overlap> overlaps) {
  AffineTileAnalysis tiles;
  auto isSame = [&](Value bound, Value other) {
    std::optional<AffineTile> a = tiles.get(bound), b = tiles.get(other);
    return a && b && a->constant == b->constant;
  };
  return llvm::any_of(overlaps, [&](const Overlap &overlap) {
    scf::ForOp other = overlap.loop;
    return (isSame(loop.getLowerBound(), other.getUpperBound()) ||
            isSame(loop.getUpperBound(), other.getLowerBound())) &&
           countOps(loop) > countOps(other);
  });
}

namespace {
struct PipelineChainedDots
    : warp::impl::PipelineChainedDotsBase<PipelineChainedDots> {
  void runOnOperation() override {
    std::vector<Overlap> overlaps;
    getOperation()->walk([&](scf::ForOp loop) {
      auto overlap = isExplicit(loop) ? std::nullopt : findOverlap(loop);
      if (overlap && hasRegisters(*overlap))
        overlaps.push_back(*overlap);
    });
    // An overlapped loop has its first iteration's work once more in front of
    // it, which few iterations do not repay.
    SmallVector<bool> isShort =
        llvm::map_to_vector(overlaps, [&](const Overlap &overlap) {
          return isShortPart(overlap.loop, overlaps);
        });
    for (auto [overlap, skip] : llvm::zip_equal(overlaps, isShort)) {
      if (skip)
        continue;
      constexpr auto kRemark = remark::RemarkOpts::name("Overlapped")
                                   .category("warp-pipeline-chained-dots");
      remark::passed(WgmmaOp(overlap.late).getLoc(), kRemark)
          << remark::add("runs under the work on the next iteration's first "
                         "product");
      IRRewriter rewriter(&getContext());
      OverlapWriter(overlap, rewriter).write();
    }
  }
};
} // namespace
