// Overlaps the second of two dependent dots with the work between them in the
// next iteration. Attention is such a loop: the output dot needs the
// probabilities, which need the score dot.

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

/// A loop whose last wgmma can run one iteration late.
struct Overlap {
  scf::ForOp loop;
  /// The first wait, for the wgmmas that the others depend on.
  WgmmaWaitOp firstWait;
  /// The wgmma to defer, and the wait for it.
  WgmmaOp late;
  WgmmaWaitOp lateWait;
  /// The position of the late accumulator among the iter_args.
  unsigned index;
  /// The ring slot of the late wgmma, if it reads one, and its release.
  RingWaitOp slot;
  RingReleaseOp release;
  /// All deferred ops, in order.
  llvm::SmallSetVector<Operation *, 8> lateOps;
  /// Ops that need the late accumulator of the previous iteration.
  llvm::SmallSetVector<Operation *, 8> afterLate;
};

} // namespace

static SmallVector<WgmmaWaitOp> getWaits(scf::ForOp loop) {
  return llvm::to_vector(loop.getBody()->getOps<WgmmaWaitOp>());
}

/// Whether all wgmmas and waits of `loop` are in its body itself.
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

/// Finds a wgmma with these properties:
/// 1. It computes one dot.
/// 2. Its A operand is in registers.
/// 3. Its accumulator is loop-carried.
/// 4. The iteration itself does not use its result.
static bool findLateDot(Overlap &overlap) {
  WgmmaWaitOp wait = overlap.lateWait;
  if (wait.getAccumulators().size() != 1 || wait.getPendings() != 0)
    return false;
  auto wgmma = wait.getAccumulators()[0].getDefiningOp<WgmmaOp>();
  Value acc = wait.getResult(0);
  if (!wgmma || wgmma->getBlock() != wait->getBlock() ||
      wgmma.getNumDots() != 1 || !wgmma->hasOneUse() ||
      !isa<RankedTensorType>(wgmma.getA().getType()) || !acc.hasOneUse() ||
      !isa<scf::YieldOp>(*acc.user_begin()))
    return false;
  overlap.late = wgmma;
  overlap.index = acc.use_begin()->getOperandNumber();
  return true;
}

/// Collects the late wgmma and its wait. If B is in a ring slot, collects the
/// wait for that slot and its release too.
static bool collectLateOps(Overlap &overlap) {
  Block *body = overlap.loop.getBody();
  SmallVector<Operation *> views;
  Value memory = overlap.late.getSingleB();
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

/// Whether only late ops and the terminator use the late ops, and the loop has
/// no other wait on their ring. Slots must be waited for in order.
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

/// Collects the ops that depend on the loop-carried accumulator and so must
/// follow the late wgmma's wait. Fails if one of them is a wgmma or has
/// effects.
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
  // The conversion to A is best done after the late wgmma has read the A of the
  // previous iteration. Both then share registers.
  Operation *convert = overlap.late.getA().getDefiningOp();
  if (convert && convert->getBlock() == overlap.loop.getBody() &&
      isMemoryEffectFree(convert) && convert->getResult(0).hasOneUse() &&
      !isa<WgmmaWaitOp>(convert))
    overlap.afterLate.insert(convert);
  return true;
}

/// Whether A of the late wgmma depends on the first wait.
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

/// Returns the registers of a thread while both wgmmas are in flight: both
/// accumulators, A of the late one, and other loop-carried tiles.
static int64_t countTaken(const Overlap &overlap) {
  scf::ForOp loop = overlap.loop;
  WgmmaOp late = overlap.late;
  WgmmaWaitOp firstWait = overlap.firstWait;
  int64_t taken = countCarried(loop) + countRegisters(late.getA().getType());
  for (Value acc : firstWait.getAccumulators())
    taken += countRegisters(acc.getType());
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

/// Rewrites the loop of an `Overlap`.
class OverlapWriter {
public:
  OverlapWriter(const Overlap &overlap, IRRewriter &b)
      : overlap(overlap), loop(overlap.loop), late(overlap.late), b(b) {}

  void write();

private:
  /// The values that an iteration passes to the next one. These are the yielded
  /// values, but with the input of the late wgmma for its result, and A of the
  /// late wgmma.
  using State = SmallVector<Value>;

  State writeFirst();
  State writeBody(Value iv, ValueRange state);
  scf::ForOp writeLoop(const State &state);
  SmallVector<Value> writeLast(ValueRange state);

  /// Issues the late wgmma of the iteration that passed `state`.
  void startLate(IRMapping &map, ValueRange state);
  Value finishLate(IRMapping &map);
  State getState(const IRMapping &map);
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

OverlapWriter::State OverlapWriter::getState(const IRMapping &map) {
  State state = llvm::map_to_vector(loop.getYieldedValues(), [&](Value value) {
    return map.lookupOrDefault(value);
  });
  state[overlap.index] = map.lookupOrDefault(late.getSingleAcc());
  state.push_back(map.lookupOrDefault(late.getA()));
  return state;
}

void OverlapWriter::startLate(IRMapping &map, ValueRange state) {
  IRMapping before = map;
  before.map(late.getA(), state.back());
  before.map(late.getSingleAcc(), state[overlap.index]);
  for (Operation *op : overlap.lateOps) {
    if (op == overlap.lateWait)
      break;
    b.clone(*op, before);
  }
  map.map(late.getSingleResult(), before.lookup(late.getSingleResult()));
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

/// Emits the first iteration without its late wgmma.
OverlapWriter::State OverlapWriter::writeFirst() {
  IRMapping map = enter(loop.getLowerBound(), loop.getInitArgs());
  for (Operation &op : loop.getBody()->without_terminator())
    if (!overlap.lateOps.contains(&op))
      b.clone(op, map);
  return getState(map);
}

/// Emits an iteration with the late wgmma of the previous one.
OverlapWriter::State OverlapWriter::writeBody(Value iv, ValueRange state) {
  IRMapping map = enter(iv, state);
  for (Operation &op : loop.getBody()->without_terminator()) {
    if (overlap.lateOps.contains(&op) || overlap.afterLate.contains(&op))
      continue;
    if (&op == overlap.firstWait)
      startLate(map, state);
    Operation *copy = b.clone(op, map);
    if (&op == overlap.firstWait)
      cast<WgmmaWaitOp>(copy).setPendings(1);
  }
  map.map(loop.getRegionIterArg(overlap.index), finishLate(map));
  for (Operation &op : loop.getBody()->without_terminator())
    if (overlap.afterLate.contains(&op))
      b.clone(op, map);
  return getState(map);
}

scf::ForOp OverlapWriter::writeLoop(const State &state) {
  Value second = arith::AddIOp::create(b, loop.getLoc(), loop.getLowerBound(),
                                       loop.getStep());
  auto body = [&](OpBuilder &, Location loc, Value iv, ValueRange carried) {
    scf::YieldOp::create(b, loc, writeBody(iv, carried));
  };
  // The builder of the callback is `b` itself.
  auto copy =
      scf::ForOp::create(b, loop.getLoc(), second, loop.getUpperBound(),
                         loop.getStep(), state, body, loop.getUnsignedCmp());
  copy->setDiscardableAttrs(loop->getDiscardableAttrDictionary());
  return copy;
}

/// Emits the late wgmma of the last iteration.
SmallVector<Value> OverlapWriter::writeLast(ValueRange state) {
  IRMapping map;
  startLate(map, state);
  SmallVector<Value> results(state.drop_back());
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
// Profitability
//===----------------------------------------------------------------------===//

static unsigned countOps(scf::ForOp loop) {
  unsigned count = 0;
  loop.getBody()->walk([&](Operation *) { ++count; });
  return count;
}

/// Whether there are registers for both wgmmas at once. Emits a remark if not.
static bool hasRegisters(const Overlap &overlap) {
  constexpr auto kRemark = remark::RemarkOpts::name("Overlapped")
                               .category("warp-pipeline-chained-dots");
  WgmmaOp late = overlap.late;
  int64_t taken = countTaken(overlap);
  if (hasRegistersFor(late, taken, /*asked=*/0))
    return true;
  remark::missed(late.getLoc(), kRemark) << remark::add(
      "is waited for at once: together with the next iteration's first dot it "
      "would take {0} registers of a thread",
      taken);
  return false;
}

/// Whether `loop` has more ops than one of the others that ends where `loop`
/// starts, or starts where it ends. Kernels split a loop in parts, as attention
/// does at its diagonal. The longest part then has the fewest ops.
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
    // Pipelining adds a copy of the first iteration before the loop, which few
    // iterations do not repay.
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
          << remark::add("overlaps the work on the next iteration's first dot");
      IRRewriter rewriter(&getContext());
      OverlapWriter(overlap, rewriter).write();
    }
  }
};
} // namespace
