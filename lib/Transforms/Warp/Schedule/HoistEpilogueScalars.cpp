#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Divisions.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Analysis/Target/OccupancyParameters.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"
#include "lib/Transforms/Warp/Schedule/LateOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_HOISTEPILOGUESCALARS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Returns the wait in `block` that leaves no wgmma in flight.
static WgmmaWaitOp findLastWait(Block &block) {
  for (WgmmaWaitOp wait : block.getOps<WgmmaWaitOp>())
    if (wait.getPendings() == 0)
      return wait;
  return {};
}

/// Returns the branch after `wgmma` whose regions both wait for the last
/// wgmmas. Returns null if another ping-pong group may begin before that wait.
static scf::IfOp findRest(WgmmaOp wgmma) {
  for (Operation *op = wgmma->getNextNode(); op; op = op->getNextNode()) {
    auto rest = dyn_cast<scf::IfOp>(op);
    if (!rest || rest.getElseRegion().empty())
      continue;
    bool waits = llvm::all_of(rest->getRegions(), [](Region &region) {
      return findLastWait(region.front()) &&
             region.getOps<PingPongPassOp>().empty();
    });
    return waits ? rest : scf::IfOp();
  }
  return {};
}

/// Returns the last wgmma of a loop's first iteration, in the `then` block of
/// `branch`. Returns null if that block itself has a wait: the waits must be in
/// a nested branch.
static WgmmaOp findFirstDot(scf::IfOp branch) {
  auto waits = branch.thenBlock()->getOps<WgmmaWaitOp>();
  if (branch.getElseRegion().empty() || !waits.empty())
    return {};
  WgmmaOp last;
  for (WgmmaOp wgmma : branch.thenBlock()->getOps<WgmmaOp>())
    last = wgmma;
  return last;
}

//===----------------------------------------------------------------------===//
// Legality
//===----------------------------------------------------------------------===//

static bool isLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !load.getIsVolatile();
}

/// Whether `op` has the same results wherever it is, and no barriers. A load
/// has as long as nothing writes in between.
static bool canMove(Operation *op) {
  return !usesScratch(op) && (isLoad(op) || isMovable(op));
}

/// Sinks ops before `branch` that are used only after it.
static void sinkLateOps(scf::IfOp branch) {
  OpSet late;
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getPrevNode(); op; op = op->getPrevNode()) {
    if (canMove(op) && !(isLoad(op) && writes) &&
        isNeededLate(op, branch, late))
      late.insert(op);
    else
      writes |= findGlobalWrite(op) != nullptr;
  }
  for (Operation *op : late)
    op->moveAfter(branch);
}

//===----------------------------------------------------------------------===//
// Analysis
//===----------------------------------------------------------------------===//

/// Whether the result of `op` is worth a register for the whole loop. Loads and
/// divisions of scalars are.
static bool isSlow(Operation *op) {
  return isLoad(op) ||
         (isDivision(op) && op->getResult(0).getType().isIntOrIndex());
}

/// Returns the registers of a thread for the results of `op`, at least one per
/// element.
static int64_t countRegisters(Operation *op) {
  int64_t registers = 0;
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    unsigned bits =
        element.isIntOrFloat() ? element.getIntOrFloatBitWidth() : 64;
    auto layout = getLayout(type);
    registers += llvm::divideCeil(bits, 32) *
                 (layout ? layout->getInSize(LayoutAxis::Register) : 1);
  }
  return registers;
}

/// Whether loads must stay after `op`, an op of the epilogue. `op` writes
/// memory, or makes the writes of other threads visible.
static bool ordersLoads(Operation *op) {
  return isa<BarrierOp>(op) || findGlobalWrite(op);
}

/// Returns `op` and the ops after `branch` that it depends on, in order.
/// Returns nothing if they depend on `branch` or cannot move.
static std::optional<OpSet> findSlice(Operation *op, scf::IfOp branch) {
  OpSet slice;
  slice.insert(op);
  for (unsigned i = 0; i < slice.size(); ++i) {
    if (!canMove(slice[i]))
      return std::nullopt;
    for (Value operand : slice[i]->getOperands()) {
      Operation *from = operand.getDefiningOp();
      if (from == branch)
        return std::nullopt;
      if (from && from->getBlock() == branch->getBlock() &&
          branch->isBeforeInBlock(from) &&
          !from->hasTrait<OpTrait::ConstantLike>())
        slice.insert(from);
    }
  }
  SmallVector<Operation *> ordered = slice.takeVector();
  llvm::sort(ordered,
             [](Operation *a, Operation *b) { return a->isBeforeInBlock(b); });
  return OpSet(ordered.begin(), ordered.end());
}

namespace {

/// Ops of the epilogue to compute while wgmmas are in flight.
struct Hoisted {
  /// In order, with the ops they depend on.
  OpSet ops;
  /// The results that other ops use.
  SmallVector<Value> results;
};

} // namespace

/// Finds divisions and small loads to hoist to just after the first wgmmas.
static Hoisted findHoistable(scf::IfOp branch) {
  Hoisted hoisted;
  OpSet carried;
  constexpr int64_t kMaxHoisted = OccupancyParameters::kMaxHoistedScalars;
  int64_t spare = kMaxHoisted;
  // The loop may write the memory that later loads read.
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    writes |= ordersLoads(op);
    if (!canMove(op) || !isSlow(op))
      continue;
    std::optional<OpSet> slice = findSlice(op, branch);
    if (!slice || llvm::any_of(*slice, [&](Operation *part) {
          return (isLoad(part) && writes) || countRegisters(part) > kMaxHoisted;
        }))
      continue;
    if (countRegisters(op) > spare)
      continue;
    spare -= countRegisters(op);
    hoisted.ops.insert(slice->begin(), slice->end());
    carried.insert(op);
  }
  // The epilogue does not need results that only hoisted ops use.
  OpSet dead;
  auto isDead = [&](Operation *op) { return dead.contains(op); };
  for (Operation *op : llvm::reverse(hoisted.ops))
    if (carried.contains(op) || llvm::all_of(op->getUsers(), isDead))
      dead.insert(op);
  for (Operation *op : carried)
    if (!llvm::all_of(op->getUsers(), isDead))
      llvm::append_range(hoisted.results, op->getResults());
  return hoisted;
}

/// Finds other loads to start before the wait for the last wgmmas: those that
/// fit next to the accumulators, in order. They may depend on `early`, which is
/// computed by then.
static Hoisted findLoads(scf::IfOp branch, const Hoisted &early) {
  Hoisted hoisted;
  int64_t spare = std::min(OccupancyParameters::kMaxEpilogueLoads,
                           OccupancyParameters::kMaxEpilogueLoadsWithAccs -
                               countRegisters(branch));
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getNextNode(); op && !writes;
       op = op->getNextNode()) {
    writes = ordersLoads(op);
    if (!isLoad(op) || early.ops.contains(op))
      continue;
    std::optional<OpSet> slice = findSlice(op, branch);
    spare -= countHeld(op->getResult(0).getType());
    if (!slice || spare < 0)
      break;
    for (Operation *part : *slice)
      if (!early.ops.contains(part))
        hoisted.ops.insert(part);
    llvm::append_range(hoisted.results, op->getResults());
  }
  return hoisted;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Clones the hoisted ops at the builder and records them in `map`. Operands
/// and results pass through `warp.opaque`. Otherwise LLVM moves the ops in two
/// ways:
/// 1. Above the first wgmmas again.
/// 2. After the loop, where ptxas wants the wait for the last wgmmas first
///    (C7514).
static SmallVector<Value> cloneOps(const Hoisted &hoisted, OpBuilder &b,
                                   IRMapping &map) {
  IRMapping here = map;
  for (Operation *op : hoisted.ops)
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      bool isConstant = from && from->hasTrait<OpTrait::ConstantLike>();
      Value known = map.lookupOrDefault(operand);
      if (!isConstant && !hoisted.ops.contains(from) &&
          here.lookupOrDefault(operand) == known &&
          OpaqueOp::canTake(operand.getType()))
        here.map(operand, OpaqueOp::create(b, op->getLoc(), known));
    }
  for (Operation *op : hoisted.ops) {
    b.clone(*op, here);
    for (Value result : op->getResults())
      map.map(result, here.lookup(result));
  }
  SmallVector<Value> results;
  for (Value result : hoisted.results) {
    Value cloned = here.lookup(result);
    if (OpaqueOp::canTake(cloned.getType()))
      cloned = OpaqueOp::create(b, result.getLoc(), cloned);
    map.map(result, cloned);
    results.push_back(cloned);
  }
  return results;
}

/// Adds results to `old`, which both of its regions yield.
static scf::IfOp addResults(scf::IfOp old, ValueRange thenValues,
                            ValueRange elseValues, RewriterBase &b) {
  old.thenYield().getResultsMutable().append(thenValues);
  old.elseYield().getResultsMutable().append(elseValues);
  b.setInsertionPoint(old);
  auto branch = scf::IfOp::create(
      b, old.getLoc(), old.thenYield().getOperandTypes(), old.getCondition());
  branch.getThenRegion().takeBody(old.getThenRegion());
  branch.getElseRegion().takeBody(old.getElseRegion());
  b.replaceOp(old, branch.getResults().take_front(old.getNumResults()));
  return branch;
}

/// Starts loads before both waits of `rest`.
static ValueRange startLoads(scf::IfOp rest, const Hoisted &loads,
                             const IRMapping &known, RewriterBase &b) {
  SmallVector<Value> clones[2];
  for (auto [region, cloned] : llvm::zip_equal(rest->getRegions(), clones)) {
    IRMapping map = known;
    b.setInsertionPoint(findLastWait(region.front()));
    cloned = cloneOps(loads, b, map);
  }
  return addResults(rest, clones[0], clones[1], b)
      .getResults()
      .take_back(loads.results.size());
}

/// Returns the loads of `ops`, which are in order, and the ops that depend on
/// them.
static OpSet findLoaded(const OpSet &ops) {
  OpSet loaded;
  for (Operation *op : ops)
    if (isLoad(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return loaded.contains(operand.getDefiningOp());
        }))
      loaded.insert(op);
  return loaded;
}

/// Clones `early` at the builder, before the first wgmmas, and anchors its
/// results there. Threads are idle at this point, and later work would delay
/// wgmmas. Loads are not anchored: they may take longer than the first copies.
static SmallVector<Value> cloneBeforeWgmmas(const Hoisted &early, Location loc,
                                            OpBuilder &b, IRMapping &map) {
  SmallVector<Value> values = cloneOps(early, b, map), anchored;
  OpSet loaded = findLoaded(early.ops);
  for (auto [result, value] : llvm::zip_equal(early.results, values))
    if (SchedAnchorOp::canTake(value.getType()) &&
        !loaded.contains(result.getDefiningOp()))
      anchored.push_back(value);
  if (!anchored.empty())
    SchedAnchorOp::create(b, loc, anchored);
  return values;
}

/// Moves ops of the epilogue into the branch around `wgmma`:
/// 1. `early` to just after `wgmma`. If no loop over tiles surrounds the
///    branch, to before the wait for the first copies instead.
/// 2. `loads` to before the waits for the last wgmmas.
/// 3. Clones of both to the `else` block of the branch.
static void hoist(WgmmaOp wgmma, const Hoisted &early, const Hoisted &loads,
                  RewriterBase &b) {
  auto old = cast<scf::IfOp>(wgmma->getParentOp());
  IRMapping taken, other;
  SmallVector<Value> thenValues;
  if (old->getParentOfType<LoopLikeOpInterface>()) {
    b.setInsertionPointAfter(wgmma);
    thenValues = cloneOps(early, b, taken);
  } else {
    b.setInsertionPointToStart(old.thenBlock());
    thenValues = cloneBeforeWgmmas(early, wgmma.getLoc(), b, taken);
  }
  if (!loads.results.empty())
    llvm::append_range(thenValues,
                       startLoads(findRest(wgmma), loads, taken, b));
  b.setInsertionPoint(old.elseYield());
  SmallVector<Value> elseValues = cloneOps(early, b, other);
  llvm::append_range(elseValues, cloneOps(loads, b, other));
  scf::IfOp branch = addResults(old, thenValues, elseValues, b);
  SmallVector<Value> results(early.results);
  llvm::append_range(results, loads.results);
  for (auto [result, cloned] :
       llvm::zip_equal(results, branch.getResults().take_back(results.size())))
    b.replaceAllUsesWith(result, cloned);
  for (const Hoisted *hoisted : {&loads, &early})
    for (Operation *op : llvm::reverse(hoisted->ops))
      if (op->use_empty())
        b.eraseOp(op);
}

namespace {
struct HoistEpilogueScalars
    : warp::impl::HoistEpilogueScalarsBase<HoistEpilogueScalars> {
  void runOnOperation() override {
    SmallVector<WgmmaOp> found;
    getOperation()->walk([&](scf::IfOp branch) {
      if (WgmmaOp wgmma = findFirstDot(branch); wgmma && !isExplicit(branch))
        found.push_back(wgmma);
    });
    IRRewriter rewriter(&getContext());
    for (WgmmaOp wgmma : found) {
      auto branch = cast<scf::IfOp>(wgmma->getParentOp());
      sinkLateOps(branch);
      Hoisted early = findHoistable(branch), loads;
      if (findRest(wgmma))
        loads = findLoads(branch, early);
      if (!early.results.empty() || !loads.results.empty())
        hoist(wgmma, early, loads, rewriter);
    }
  }
};
} // namespace
