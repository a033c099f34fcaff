#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright;

SmallVector<MaskCondition> tilewright::splitMask(Value mask) {
  SmallVector<MaskCondition> open = {{mask, {}}}, conditions;
  while (!open.empty()) {
    MaskCondition condition = open.pop_back_val();
    Operation *op = condition.value.getDefiningOp();
    if (matchPattern(condition.value, m_One()))
      continue;
    if (isa_and_present<arith::AndIOp>(op)) {
      for (Value operand : op->getOperands())
        open.push_back({operand, condition.views});
    } else if (isa_and_present<tile::BroadcastOp, tile::ExpandDimsOp,
                               tile::ReshapeOp, tile::TransposeOp>(op)) {
      condition.views.push_back(op);
      condition.value = op->getOperand(0);
      open.push_back(std::move(condition));
    } else {
      conditions.push_back(std::move(condition));
    }
  }
  return conditions;
}

/// The predicate for swapped operands.
static arith::CmpIPredicate swapOperands(arith::CmpIPredicate predicate) {
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return arith::CmpIPredicate::sgt;
  case arith::CmpIPredicate::sle:
    return arith::CmpIPredicate::sge;
  case arith::CmpIPredicate::sgt:
    return arith::CmpIPredicate::slt;
  case arith::CmpIPredicate::sge:
    return arith::CmpIPredicate::sle;
  default:
    return predicate;
  }
}

std::optional<IndexComparison>
tilewright::getComparison(const MaskCondition &condition,
                          AffineTileAnalysis &tiles) {
  auto compare = condition.value.getDefiningOp<arith::CmpIOp>();
  if (!compare)
    return std::nullopt;
  auto getOperand = [&](Value value) {
    std::optional<AffineTile> operand = tiles.get(value);
    for (Operation *view : llvm::reverse(condition.views))
      if (operand)
        operand = applyShapeOp(view, *operand);
    return operand;
  };
  std::optional<AffineTile> index = getOperand(compare.getLhs());
  std::optional<AffineTile> limit = getOperand(compare.getRhs());
  arith::CmpIPredicate predicate = compare.getPredicate();
  if (!index || !limit || index->base || limit->base)
    return std::nullopt;
  if (index->isUniform()) {
    std::swap(index, limit);
    predicate = swapOperands(predicate);
  }
  if (!limit->isUniform())
    return std::nullopt;
  Polynomial next = limit->constant + Polynomial(1);
  const bool isWide =
      getElementTypeOrSelf(compare.getLhs()).getIntOrFloatBitWidth() > 32;
  switch (predicate) {
  case arith::CmpIPredicate::slt:
    return IndexComparison{*index, limit->constant, true, isWide};
  case arith::CmpIPredicate::sle:
    return IndexComparison{*index, next, true, isWide};
  case arith::CmpIPredicate::sge:
    return IndexComparison{*index, limit->constant, false, isWide};
  case arith::CmpIPredicate::sgt:
    return IndexComparison{*index, next, false, isWide};
  default:
    return std::nullopt;
  }
}
