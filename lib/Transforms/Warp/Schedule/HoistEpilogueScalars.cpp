#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Facts/Divisions.h"
#include "lib/Analysis/SharedMemory/SharedMemoryUse.h"
#include "lib/Transforms/Warp/Registers/RegisterUse.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "mlir/Interfaces/LoopLikeInterface.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_HOISTEPILOGUESCALARS
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Registers of a thread that what is prepared may take.
static constexpr int64_t kSpareRegisters = 8;

/// Registers of a thread that what is loaded under the last products may take,
/// each load of which is written three times, and together with the sums.
static constexpr int64_t kMostLoaded = 32, kMostRegisters = 160;

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// The wait for the last products at the end of a block.
static WgmmaWaitOp findLastWait(Block &block) {
  for (WgmmaWaitOp wait : block.getOps<WgmmaWaitOp>())
    if (wait.getPendings() == 0)
      return wait;
  return {};
}

/// The branch behind `product` that waits for the last products on both sides;
/// null where another team's products begin before.
static scf::IfOp findRest(WgmmaOp product) {
  for (Operation *op = product->getNextNode(); op; op = op->getNextNode()) {
    auto rest = dyn_cast<scf::IfOp>(op);
    if (!rest || rest.getElseRegion().empty())
      continue;
    bool waits = llvm::all_of(rest->getRegions(), [](Region &side) {
      return findLastWait(side.front()) &&
             side.getOps<PingPongPassOp>().empty();
    });
    return waits ? rest : scf::IfOp();
  }
  return {};
}

/// The last of the first products of a loop in the taken side of `branch`, if
/// what waits for them stands in a branch of its own; null otherwise.
static WgmmaOp findFirstDot(scf::IfOp branch) {
  auto waits = branch.thenBlock()->getOps<WgmmaWaitOp>();
  if (branch.getElseRegion().empty() || !waits.empty())
    return {};
  WgmmaOp last;
  for (WgmmaOp product : branch.thenBlock()->getOps<WgmmaOp>())
    last = product;
  return last;
}

//===----------------------------------------------------------------------===//
// What may move
//===----------------------------------------------------------------------===//

static bool isLoad(Operation *op) {
  auto load = dyn_cast<tile::LoadOp>(op);
  return load && !load.getIsVolatile();
}

/// Whether `op` gives the same wherever it stands, a load as long as nothing
/// writes in between.
static bool isMovable(Operation *op) {
  return op->getNumRegions() == 0 && op->getNumResults() != 0 &&
         !op->hasTrait<OpTrait::ConstantLike>() && !usesScratch(op) &&
         (isLoad(op) || isMemoryEffectFree(op));
}

/// Whether everything that uses `op` is in `late` or stands behind `branch`.
static bool isNeededLate(Operation *op, scf::IfOp branch, const OpSet &late) {
  return llvm::all_of(op->getUsers(), [&](Operation *user) {
    Operation *here = branch->getBlock()->findAncestorOpInBlock(*user);
    return late.contains(user) || (here && branch->isBeforeInBlock(here));
  });
}

/// Moves what stands before `branch` and is not needed in it behind it.
static void sinkLateOps(scf::IfOp branch) {
  OpSet late;
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getPrevNode(); op; op = op->getPrevNode()) {
    if (isMovable(op) && !(isLoad(op) && writes) && !op->use_empty() &&
        isNeededLate(op, branch, late))
      late.insert(op);
    else
      writes |= findGlobalWrite(op) != nullptr;
  }
  for (Operation *op : late)
    op->moveAfter(branch);
}

//===----------------------------------------------------------------------===//
// What the first iteration computes
//===----------------------------------------------------------------------===//

/// Whether `op` is worth a register for as long as the loop runs: loads, and
/// divisions of scalars.
static bool isSlow(Operation *op) {
  return isLoad(op) ||
         (isDivision(op) && op->getResult(0).getType().isIntOrIndex());
}

/// The registers of a thread that the results of `op` take, one or more for
/// each element.
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

/// Whether a load behind `op`, which stands behind the loop, must not come
/// before: `op` writes, or shows what other threads have written.
static bool ordersLoads(Operation *op) {
  return isa<BarrierOp>(op) || findGlobalWrite(op);
}

/// What `op` needs from behind `branch`, in order and with itself; nothing if
/// that can not be computed under the products.
static std::optional<OpSet> findSlice(Operation *op, scf::IfOp branch) {
  OpSet slice;
  slice.insert(op);
  for (unsigned i = 0; i < slice.size(); ++i) {
    if (!isMovable(slice[i]))
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

/// What is to be computed under products for what stands behind the loop.
struct Prepared {
  /// In order, with what they are computed from.
  OpSet ops;
  /// What is needed of their results.
  SmallVector<Value> results;
};

} // namespace

/// Divisions, and loads of few registers, to be done behind the first products.
static Prepared findPrepared(scf::IfOp branch) {
  Prepared prepared;
  OpSet carried;
  int64_t spare = kSpareRegisters;
  // The loop may write what is read behind it.
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    writes |= ordersLoads(op);
    if (!isMovable(op) || !isSlow(op))
      continue;
    std::optional<OpSet> slice = findSlice(op, branch);
    if (!slice || llvm::any_of(*slice, [&](Operation *part) {
          return (isLoad(part) && writes) ||
                 countRegisters(part) > kSpareRegisters;
        }))
      continue;
    if (countRegisters(op) > spare)
      continue;
    spare -= countRegisters(op);
    prepared.ops.insert(slice->begin(), slice->end());
    carried.insert(op);
  }
  // What only the prepared needs is not needed behind the loop any more.
  OpSet leaving;
  auto leaves = [&](Operation *op) { return leaving.contains(op); };
  for (Operation *op : llvm::reverse(prepared.ops))
    if (carried.contains(op) || llvm::all_of(op->getUsers(), leaves))
      leaving.insert(op);
  for (Operation *op : carried)
    if (!llvm::all_of(op->getUsers(), leaves))
      llvm::append_range(prepared.results, op->getResults());
  return prepared;
}

/// Other loads, to be started under the last products: those that fit beside
/// the sums, in order. What they are computed from of what is `early` is known.
static Prepared findLoads(scf::IfOp branch, const Prepared &early) {
  Prepared prepared;
  int64_t spare =
      std::min(kMostLoaded, kMostRegisters - countRegisters(branch));
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
        prepared.ops.insert(part);
    llvm::append_range(prepared.results, op->getResults());
  }
  return prepared;
}

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Copies of what is prepared at the builder, which `map` knows then. What
/// scalars it is computed from is known only from there on, and so are its
/// results: else it would be computed ahead of the products again, or behind
/// the loop, where the assembler wants the wait for the last of them first
/// (C7514).
static SmallVector<Value> copy(const Prepared &prepared, OpBuilder &b,
                               IRMapping &map) {
  IRMapping here = map;
  for (Operation *op : prepared.ops)
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      bool isConstant = from && from->hasTrait<OpTrait::ConstantLike>();
      Value known = map.lookupOrDefault(operand);
      if (!isConstant && !prepared.ops.contains(from) &&
          here.lookupOrDefault(operand) == known &&
          OpaqueOp::canTake(operand.getType()))
        here.map(operand, OpaqueOp::create(b, op->getLoc(), known));
    }
  for (Operation *op : prepared.ops) {
    b.clone(*op, here);
    for (Value result : op->getResults())
      map.map(result, here.lookup(result));
  }
  SmallVector<Value> results;
  for (Value result : prepared.results) {
    Value copied = here.lookup(result);
    if (OpaqueOp::canTake(copied.getType()))
      copied = OpaqueOp::create(b, result.getLoc(), copied);
    map.map(result, copied);
    results.push_back(copied);
  }
  return results;
}

/// Has `old` give more, which both of its sides yield.
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

/// Starts loads in front of both waits of `rest`.
static ValueRange startLoads(scf::IfOp rest, const Prepared &loads,
                             const IRMapping &known, RewriterBase &b) {
  SmallVector<Value> copies[2];
  for (auto [side, copied] : llvm::zip_equal(rest->getRegions(), copies)) {
    IRMapping map = known;
    b.setInsertionPoint(findLastWait(side.front()));
    copied = copy(loads, b, map);
  }
  return addResults(rest, copies[0], copies[1], b)
      .getResults()
      .take_back(loads.results.size());
}

/// What of `ops`, which stand in order, is loaded or computed from that.
static OpSet findLoaded(const OpSet &ops) {
  OpSet loaded;
  for (Operation *op : ops)
    if (isLoad(op) || llvm::any_of(op->getOperands(), [&](Value operand) {
          return loaded.contains(operand.getDefiningOp());
        }))
      loaded.insert(op);
  return loaded;
}

/// Computes `early` at the builder. In front of the first products threads have
/// nothing else to do, and what is left for later would keep products waiting;
/// but for loads, which may take longer than the copies.
static SmallVector<Value> copyAhead(const Prepared &early, Location loc,
                                    OpBuilder &b, IRMapping &map) {
  SmallVector<Value> values = copy(early, b, map), places;
  OpSet loaded = findLoaded(early.ops);
  for (auto [result, value] : llvm::zip_equal(early.results, values))
    if (SchedAnchorOp::canTake(value.getType()) &&
        !loaded.contains(result.getDefiningOp()))
      places.push_back(value);
  if (!places.empty())
    SchedAnchorOp::create(b, loc, places);
  return values;
}

/// Computes `early` behind `product`, or where no other tile comes before this
/// one in front of the wait for its copies; starts `loads` in front of the
/// waits for the last products, and does both on the other side of the branch
/// that `product` stands in.
static void prepare(WgmmaOp product, const Prepared &early,
                    const Prepared &loads, RewriterBase &b) {
  auto old = cast<scf::IfOp>(product->getParentOp());
  IRMapping taken, other;
  SmallVector<Value> thenValues;
  if (old->getParentOfType<LoopLikeOpInterface>()) {
    b.setInsertionPointAfter(product);
    thenValues = copy(early, b, taken);
  } else {
    b.setInsertionPointToStart(old.thenBlock());
    thenValues = copyAhead(early, product.getLoc(), b, taken);
  }
  if (!loads.results.empty())
    llvm::append_range(thenValues,
                       startLoads(findRest(product), loads, taken, b));
  b.setInsertionPoint(old.elseYield());
  SmallVector<Value> elseValues = copy(early, b, other);
  llvm::append_range(elseValues, copy(loads, b, other));
  scf::IfOp branch = addResults(old, thenValues, elseValues, b);
  SmallVector<Value> results(early.results);
  llvm::append_range(results, loads.results);
  for (auto [result, copied] :
       llvm::zip_equal(results, branch.getResults().take_back(results.size())))
    b.replaceAllUsesWith(result, copied);
  for (const Prepared *prepared : {&loads, &early})
    for (Operation *op : llvm::reverse(prepared->ops))
      if (op->use_empty())
        b.eraseOp(op);
}

namespace {
struct HoistEpilogueScalars
    : warp::impl::HoistEpilogueScalarsBase<HoistEpilogueScalars> {
  void runOnOperation() override {
    SmallVector<WgmmaOp> found;
    getOperation()->walk([&](scf::IfOp branch) {
      if (WgmmaOp product = findFirstDot(branch);
          product && !isExplicit(branch))
        found.push_back(product);
    });
    IRRewriter rewriter(&getContext());
    for (WgmmaOp product : found) {
      auto branch = cast<scf::IfOp>(product->getParentOp());
      sinkLateOps(branch);
      Prepared early = findPrepared(branch), loads;
      if (findRest(product))
        loads = findLoads(branch, early);
      if (!early.results.empty() || !loads.results.empty())
        prepare(product, early, loads, rewriter);
    }
  }
};
} // namespace
