#include "lib/Transforms/Warp/CheckRings/PingPongParity.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

void PingPongParity::begin(unsigned number) {
  group = number;
  carried.clear();
}

bool PingPongParity::isParity(Value value) {
  llvm::DenseSet<Value> before = known;
  if (!known.insert(value).second)
    return true;
  if (value.getDefiningOp<PingPongLeadsOp>())
    return true;
  if (auto flip = value.getDefiningOp<arith::XOrIOp>())
    if (matchPattern(flip.getRhs(), m_Constant()) && isParity(flip.getLhs()))
      return true;
  auto result = dyn_cast<OpResult>(value);
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(result ? result.getOwner()
                                          : argument.getOwner()->getParentOp());
  if (loop && value.getType().isInteger(1) &&
      (result || argument != loop.getInductionVar())) {
    unsigned index =
        result ? result.getResultNumber() : argument.getArgNumber() - 1;
    if (isParity(loop.getInitArgs()[index]) &&
        isParity(loop.getYieldedValues()[index]) &&
        isParity(loop.getRegionIterArg(index)))
      return true;
  }
  known = std::move(before);
  return false;
}

bool PingPongParity::evaluate(Value value) const {
  if (auto flip = value.getDefiningOp<arith::XOrIOp>()) {
    APInt constant;
    matchPattern(flip.getRhs(), m_ConstantInt(&constant));
    return evaluate(flip.getLhs()) != !constant.isZero();
  }
  return value.getDefiningOp<PingPongLeadsOp>() ? group == 0
                                                : carried.lookup(value);
}

void PingPongParity::pass(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Value, bool>> passed;
  for (auto [value, target] : llvm::zip_equal(from, to))
    if (value.getType().isInteger(1) && isParity(target))
      passed.push_back({target, evaluate(value)});
  for (auto [target, isMine] : passed)
    carried[target] = isMine;
}
