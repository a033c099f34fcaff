#include "lib/Transforms/Warp/CheckRings/PingPongTurns.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

void PingPongTurns::begin(unsigned number) {
  team = number;
  carried.clear();
}

/// Whether `value` follows from which team has the first turn alone: that, its
/// opposite, or what a loop carries that starts so and follows so.
bool PingPongTurns::isTurn(Value value) {
  llvm::DenseSet<Value> before = known;
  if (!known.insert(value).second)
    return true;
  if (value.getDefiningOp<PingPongLeadsOp>())
    return true;
  if (auto flip = value.getDefiningOp<arith::XOrIOp>())
    if (matchPattern(flip.getRhs(), m_Constant()) && isTurn(flip.getLhs()))
      return true;
  auto result = dyn_cast<OpResult>(value);
  auto argument = dyn_cast<BlockArgument>(value);
  auto loop = dyn_cast<scf::ForOp>(result ? result.getOwner()
                                          : argument.getOwner()->getParentOp());
  if (loop && value.getType().isInteger(1) &&
      (result || argument != loop.getInductionVar())) {
    unsigned index =
        result ? result.getResultNumber() : argument.getArgNumber() - 1;
    if (isTurn(loop.getInitArgs()[index]) &&
        isTurn(loop.getYieldedValues()[index]) &&
        isTurn(loop.getRegionIterArg(index)))
      return true;
  }
  known = std::move(before);
  return false;
}

/// What a value that is a turn is for the team, here.
bool PingPongTurns::evaluate(Value value) const {
  if (auto flip = value.getDefiningOp<arith::XOrIOp>()) {
    APInt constant;
    matchPattern(flip.getRhs(), m_ConstantInt(&constant));
    return evaluate(flip.getLhs()) != !constant.isZero();
  }
  return value.getDefiningOp<PingPongLeadsOp>() ? team == 0
                                                : carried.lookup(value);
}

/// Hands turns on that a loop carries.
void PingPongTurns::pass(ValueRange from, ValueRange to) {
  SmallVector<std::pair<Value, bool>> passed;
  for (auto [value, target] : llvm::zip_equal(from, to))
    if (value.getType().isInteger(1) && isTurn(target))
      passed.push_back({target, evaluate(value)});
  for (auto [target, isMine] : passed)
    carried[target] = isMine;
}
