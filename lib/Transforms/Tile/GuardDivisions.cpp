#include "lib/Transforms/Tile/Passes.h"

#include "dialect/Tile/GuardedDivisors.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"

namespace tilewright::tile {
#define GEN_PASS_DEF_TILEGUARDDIVISIONS
#include "lib/Transforms/Tile/Passes.h.inc"
} // namespace tilewright::tile

using namespace mlir;

namespace tilewright::tile {

/// Whether the divisor is a constant that never traps.
static bool isHarmless(Value divisor, bool isSigned) {
  APInt value;
  return matchPattern(divisor, m_ConstantInt(&value)) && !value.isZero() &&
         !(isSigned && value.isAllOnes());
}

static Value makeInteger(OpBuilder &b, Location loc, Type type,
                         const APInt &value) {
  TypedAttr attribute = b.getIntegerAttr(getElementTypeOrSelf(type), value);
  if (auto shaped = dyn_cast<ShapedType>(type))
    attribute = DenseElementsAttr::get(shaped, Attribute(attribute));
  return arith::ConstantOp::create(b, loc, attribute);
}

/// Divides by 1 where the quotient does not exist or overflows. For the least
/// number by -1, that gives the wrapped quotient.
static void guard(Operation *op, bool isSigned) {
  Value dividend = op->getOperand(0), divisor = op->getOperand(1);
  if (isHarmless(divisor, isSigned))
    return;
  OpBuilder b(op);
  Location loc = op->getLoc();
  Type type = divisor.getType();
  unsigned width = getElementTypeOrSelf(type).getIntOrFloatBitWidth();
  auto equals = [&](Value value, const APInt &constant) -> Value {
    return arith::CmpIOp::create(b, loc, arith::CmpIPredicate::eq, value,
                                 makeInteger(b, loc, type, constant));
  };
  Value traps = equals(divisor, APInt::getZero(width));
  if (isSigned) {
    Value least = equals(dividend, APInt::getSignedMinValue(width));
    Value negated = equals(divisor, APInt::getAllOnes(width));
    Value wraps = arith::AndIOp::create(b, loc, least, negated);
    traps = arith::OrIOp::create(b, loc, traps, wraps);
  }
  Value one = makeInteger(b, loc, type, APInt(width, 1));
  auto safe = arith::SelectOp::create(b, loc, traps, one, divisor);
  safe->setAttr(kGuardsDivisorAttr, b.getUnitAttr());
  op->setOperand(1, safe);
}

namespace {
struct GuardDivisionsPass : impl::TileGuardDivisionsBase<GuardDivisionsPass> {
  void runOnOperation() override {
    getOperation()->walk([](Operation *op) {
      if (isa<arith::DivSIOp, arith::RemSIOp>(op))
        guard(op, /*isSigned=*/true);
      else if (isa<arith::DivUIOp, arith::RemUIOp>(op))
        guard(op, /*isSigned=*/false);
    });
  }
};
} // namespace

} // namespace tilewright::tile
