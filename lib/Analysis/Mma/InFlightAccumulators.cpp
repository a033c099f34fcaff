#include "lib/Analysis/Mma/InFlightAccumulators.h"

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SmallPtrSet.h"

using namespace mlir;
using namespace tilewright;

/// The number of wgmmas that start between `wgmma` and `wait`. Nothing if the
/// two are in different blocks.
static std::optional<int64_t> countDotsBetween(warp::WgmmaOp wgmma,
                                               warp::WgmmaWaitOp wait) {
  if (wgmma->getBlock() != wait->getBlock())
    return std::nullopt;
  int64_t count = 0;
  for (Operation *op = wgmma->getNextNode(); op && op != wait;
       op = op->getNextNode())
    op->walk([&](warp::WgmmaOp) { ++count; });
  return count;
}

/// The values that control flow may forward to `value`. Empty if it is neither
/// loop-carried nor the result of a branch.
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

/// Whether `value` is the accumulator of a wgmma that has not been waited for.
/// `seen` are the values on the way, so that a loop-carried value depends on
/// its other sources.
static bool isInFlight(Value value, llvm::SmallPtrSetImpl<Value> &seen) {
  if (!seen.insert(value).second)
    return false;
  if (value.getDefiningOp<warp::WgmmaOp>())
    return true;
  if (auto wait = value.getDefiningOp<warp::WgmmaWaitOp>()) {
    if (wait.getPendings() == 0)
      return false;
    Value acc = wait.getAccumulators()[cast<OpResult>(value).getResultNumber()];
    if (auto wgmma = acc.getDefiningOp<warp::WgmmaOp>())
      if (auto later = countDotsBetween(wgmma, wait))
        return *later < int64_t(wait.getPendings());
    return isInFlight(acc, seen);
  }
  return llvm::any_of(getSources(value),
                      [&](Value source) { return isInFlight(source, seen); });
}

bool tilewright::isInFlightAccumulator(Value value) {
  llvm::SmallPtrSet<Value, 8> seen;
  return isa<RankedTensorType>(value.getType()) && isInFlight(value, seen);
}

/// Whether `op` forwards accumulators without using them.
static bool forwardsAccumulators(Operation *op) {
  return isa<warp::WgmmaWaitOp, scf::ForOp, scf::WhileOp, scf::YieldOp,
             scf::ConditionOp>(op);
}

OpOperand *tilewright::findUseOfInFlightAccumulator(Operation *func) {
  OpOperand *found = nullptr;
  func->walk([&](Operation *op) {
    if (forwardsAccumulators(op))
      return WalkResult::advance();
    auto wgmma = dyn_cast<warp::WgmmaOp>(op);
    for (OpOperand &operand : op->getOpOperands()) {
      bool isAcc = wgmma && wgmma.getTiedResult(operand);
      if (isAcc || !isInFlightAccumulator(operand.get()))
        continue;
      found = &operand;
      return WalkResult::interrupt();
    }
    return WalkResult::advance();
  });
  return found;
}
