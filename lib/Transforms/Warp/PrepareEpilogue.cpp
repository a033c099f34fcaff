#include "lib/Transforms/Warp/Passes.h"

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Analysis/Divisions.h"
#include "lib/Analysis/SharedMemory.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/IRMapping.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

namespace tilewright::warp {
#define GEN_PASS_DEF_PREPAREEPILOGUE
#include "lib/Transforms/Warp/Passes.h.inc"
} // namespace tilewright::warp

/// Registers of a thread that what is prepared may take.
static constexpr int64_t kSpareRegisters = 8;

using OpSet = llvm::SmallSetVector<Operation *, 16>;

/// The last of the first products of a loop in the taken side of `branch`, if
/// what waits for them stands in a branch of its own; null otherwise.
static WgmmaOp findFirstProduct(scf::IfOp branch) {
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

/// The registers of a thread that the results of `op` take.
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

/// What is to be computed under the products for what stands behind the loop:
/// divisions, and loads of few registers.
struct Prepared {
  /// In order, with what they are computed from.
  OpSet ops;
  /// What is needed of their results.
  SmallVector<Value> results;
};

} // namespace

static Prepared findPrepared(scf::IfOp branch) {
  Prepared prepared;
  OpSet carried;
  int64_t spare = kSpareRegisters;
  // The loop may write what is read behind it.
  bool writes = findGlobalWrite(branch);
  for (Operation *op = branch->getNextNode(); op; op = op->getNextNode()) {
    writes |= findGlobalWrite(op) != nullptr;
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

//===----------------------------------------------------------------------===//
// Rewrite
//===----------------------------------------------------------------------===//

/// Copies of what is prepared at the builder. What scalars it is computed from
/// is known only from there on, and so are its results: else it would be
/// computed ahead of the products again, or behind the loop, where the
/// assembler wants the wait for the last of them first (C7514).
static SmallVector<Value> copy(const Prepared &prepared, OpBuilder &b) {
  IRMapping map;
  for (Operation *op : prepared.ops)
    for (Value operand : op->getOperands()) {
      Operation *from = operand.getDefiningOp();
      bool isConstant = from && from->hasTrait<OpTrait::ConstantLike>();
      if (isConstant || prepared.ops.contains(from) || map.contains(operand) ||
          !FromHereOp::canTake(operand.getType()))
        continue;
      map.map(operand, FromHereOp::create(b, op->getLoc(), operand));
    }
  for (Operation *op : prepared.ops)
    b.clone(*op, map);
  SmallVector<Value> results;
  for (Value result : prepared.results) {
    Value copied = map.lookup(result);
    results.push_back(
        FromHereOp::canTake(copied.getType())
            ? FromHereOp::create(b, result.getLoc(), copied).getResult()
            : copied);
  }
  return results;
}

/// Computes what is prepared behind `product`, and on the other side of the
/// branch `old` that it stands in.
static void prepare(scf::IfOp old, WgmmaOp product, const Prepared &prepared,
                    RewriterBase &b) {
  SmallVector<Type> types(old.getResultTypes());
  llvm::append_range(types, ValueRange(prepared.results).getTypes());
  b.setInsertionPointAfter(product);
  old.thenYield().getResultsMutable().append(copy(prepared, b));
  b.setInsertionPoint(old.elseYield());
  old.elseYield().getResultsMutable().append(copy(prepared, b));
  b.setInsertionPoint(old);
  auto branch = scf::IfOp::create(b, old.getLoc(), types, old.getCondition());
  branch.getThenRegion().takeBody(old.getThenRegion());
  branch.getElseRegion().takeBody(old.getElseRegion());
  size_t numOld = old.getNumResults();
  for (auto [result, copied] : llvm::zip_equal(
           prepared.results, branch.getResults().drop_front(numOld)))
    b.replaceAllUsesWith(result, copied);
  b.replaceOp(old, branch.getResults().take_front(numOld));
  for (Operation *op : llvm::reverse(prepared.ops))
    if (op->use_empty())
      b.eraseOp(op);
}

namespace {
struct PrepareEpilogue : warp::impl::PrepareEpilogueBase<PrepareEpilogue> {
  void runOnOperation() override {
    SmallVector<WgmmaOp> found;
    getOperation()->walk([&](scf::IfOp branch) {
      if (WgmmaOp product = findFirstProduct(branch);
          product && !isExplicit(branch))
        found.push_back(product);
    });
    IRRewriter rewriter(&getContext());
    for (WgmmaOp product : found) {
      auto branch = cast<scf::IfOp>(product->getParentOp());
      sinkLateOps(branch);
      Prepared prepared = findPrepared(branch);
      if (!prepared.results.empty())
        prepare(branch, product, prepared, rewriter);
    }
  }
};
} // namespace
