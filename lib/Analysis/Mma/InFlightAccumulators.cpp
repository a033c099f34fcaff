#include "lib/Analysis/Mma/InFlightAccumulators.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilewright;

/// How many products start between `product` and `wait`; nothing where they
/// do not stand in one block.
static std::optional<int64_t> countDotsBetween(warp::WgmmaOp product,
                                               warp::WgmmaWaitOp wait) {
  if (product->getBlock() != wait->getBlock())
    return std::nullopt;
  int64_t count = 0;
  for (Operation *op = product->getNextNode(); op && op != wait;
       op = op->getNextNode())
    op->walk([&](warp::WgmmaOp) { ++count; });
  return count;
}

/// The values that `value`, carried by a loop or given by a branch, may be.
static SmallVector<Value> getSources(Value value) {
  auto argument = dyn_cast<BlockArgument>(value);
  Operation *owner =
      argument ? argument.getOwner()->getParentOp() : value.getDefiningOp();
  if (auto loop = dyn_cast_if_present<scf::ForOp>(owner)) {
    if (argument && argument.getArgNumber() == 0)
      return {};
    unsigned index = argument ? argument.getArgNumber() - 1
                              : cast<OpResult>(value).getResultNumber();
    return {loop.getInitArgs()[index], loop.getYieldedValues()[index]};
  }
  if (auto branch = dyn_cast_if_present<scf::IfOp>(owner)) {
    unsigned index = cast<OpResult>(value).getResultNumber();
    return {branch.thenYield().getOperand(index),
            branch.elseYield().getOperand(index)};
  }
  if (auto loop = dyn_cast_if_present<scf::WhileOp>(owner)) {
    unsigned index = argument ? argument.getArgNumber()
                              : cast<OpResult>(value).getResultNumber();
    if (argument && argument.getOwner() == loop.getBeforeBody())
      return {loop.getInits()[index], loop.getYieldOp().getOperand(index)};
    return {loop.getConditionOp().getArgs()[index]};
  }
  return {};
}

/// Whether `value` is the sum of a product that was started and not waited for.
/// What a loop carries around is, if anything else makes it so: `seen` are the
/// values that the question has led through.
static bool isRunning(Value value, llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  if (value.getDefiningOp<warp::WgmmaOp>())
    return true;
  if (auto wait = value.getDefiningOp<warp::WgmmaWaitOp>()) {
    if (wait.getPendings() == 0)
      return false;
    Value sum = wait.getAccumulators()[cast<OpResult>(value).getResultNumber()];
    if (auto product = sum.getDefiningOp<warp::WgmmaOp>())
      if (auto later = countDotsBetween(product, wait))
        return *later < int64_t(wait.getPendings());
    return isRunning(sum, seen);
  }
  return llvm::any_of(getSources(value),
                      [&](Value source) { return isRunning(source, seen); });
}

bool tilewright::isInFlightAccumulator(Value value) {
  llvm::SmallPtrSet<Value, 8> seen;
  return isa<RankedTensorType>(value.getType()) && isRunning(value, seen);
}

/// Whether `op` hands sums on without touching them.
static bool passesSums(Operation *op) {
  return isa<warp::WgmmaWaitOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

OpOperand *tilewright::findUseOfInFlightAccumulator(Operation *func) {
  OpOperand *found = nullptr;
  func->walk([&](Operation *op) {
    if (passesSums(op))
      return WalkResult::advance();
    auto product = dyn_cast<warp::WgmmaOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      bool isSum = product && &operand == &product.getAccMutable();
      if (isSum || !isInFlightAccumulator(operand.get()))
        continue;
      found = &operand;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}
