// Promises of the front end about values, and consequences of its assumptions.

#include "compiler/capi/Handles.h"

#include "dialect/Tile/TileOps.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/Matchers.h"
#include "mlir/Interfaces/ControlFlowInterfaces.h"
#include "mlir/Interfaces/FunctionInterfaces.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::capi;

/// Attaches a promise to loop-carried pointers: see tile-attach-pointer-hints.
static bool promiseCarried(tw_builder *handle, Value value,
                           NamedAttribute promise) {
  OpBuilder &b = handle->builder;
  auto type = dyn_cast<RankedTensorType>(value.getType());
  if (!type || !isa<tile::PtrType>(type.getElementType()))
    return false;
  auto zero = arith::ConstantOp::create(
      b, handle->loc, b.getZeroAttr(type.clone(b.getI32Type())));
  auto move = tile::AddPtrOp::create(b, handle->loc, value, zero);
  move->setAttr(promise.getName(), promise.getValue());
  return true;
}

bool tw_value_promise(tw_builder *builder, tw_value handle, const char *name,
                      tw_attr promise) {
  Value value = unwrap(handle);
  // In other blocks, the value may have uses where the promise does not hold.
  if (value.getParentBlock() != builder->builder.getInsertionBlock())
    return false;
  if (Operation *op = value.getDefiningOp()) {
    // The results of loops and branches depend on other results too.
    if (op->getNumResults() != 1 || isa<RegionBranchOpInterface>(op) ||
        op->hasTrait<mlir::OpTrait::ConstantLike>())
      return false;
    op->setAttr(name, unwrap(promise));
    return true;
  }
  auto argument = cast<BlockArgument>(value);
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  if (!func)
    return promiseCarried(
        builder, value,
        {builder->builder.getStringAttr(name), unwrap(promise)});
  Attribute fact = unwrap(promise);
  if (auto values = dyn_cast<DenseI32ArrayAttr>(fact)) {
    if (values.size() != 1 || name != tile::TileDialect::kDivisibilityAttr)
      return false;
    fact = builder->builder.getI32IntegerAttr(values[0]);
  }
  func.setArgAttr(argument.getArgNumber(), name, fact);
  return true;
}

/// Returns the divisibility that was promised for a scalar so far.
static int64_t getDivisibility(Value value) {
  if (Operation *op = value.getDefiningOp()) {
    auto values = op->getAttrOfType<DenseI32ArrayAttr>(
        tile::TileDialect::kDivisibilityAttr);
    return values ? values[0] : 1;
  }
  auto argument = cast<BlockArgument>(value);
  auto func = dyn_cast<FunctionOpInterface>(argument.getOwner()->getParentOp());
  auto known =
      func ? func.getArgAttrOfType<IntegerAttr>(
                 argument.getArgNumber(), tile::TileDialect::kDivisibilityAttr)
           : nullptr;
  return known ? known.getInt() : 1;
}

/// Promises that `value` is a multiple of `divisor`.
static void assumeMultiple(tw_builder *builder, Value value,
                           const llvm::APInt &divisor) {
  if (divisor.isZero() || isa<ShapedType>(value.getType()))
    return;
  // The analysis only represents powers of two.
  int64_t divisibility = int64_t(1) << std::min(divisor.countr_zero(), 30u);
  if (divisibility > getDivisibility(value))
    tw_value_promise(builder, wrap(value),
                     tile::TileDialect::kDivisibilityAttr.data(),
                     wrap(builder->builder.getDenseI32ArrayAttr(
                         {static_cast<int32_t>(divisibility)})));
}

/// Returns the predicate for swapped operands.
static arith::CmpIPredicate mirror(arith::CmpIPredicate is) {
  using P = arith::CmpIPredicate;
  switch (is) {
  case P::slt:
    return P::sgt;
  case P::sle:
    return P::sge;
  case P::sgt:
    return P::slt;
  case P::sge:
    return P::sle;
  default:
    return is;
  }
}

/// Derives promises from a comparison with a constant on its right.
static void assumeComparison(tw_builder *builder, arith::CmpIPredicate is,
                             Value value, const llvm::APInt &constant) {
  using P = arith::CmpIPredicate;
  Operation *op = value.getDefiningOp();
  llvm::APInt divisor;
  if (is == P::eq && constant.isZero() &&
      isa_and_nonnull<arith::RemSIOp, arith::RemUIOp>(op) &&
      matchPattern(op->getOperand(1), m_ConstantInt(&divisor)))
    assumeMultiple(builder, op->getOperand(0), divisor);
  if ((is == P::sge && !constant.isNegative()) ||
      (is == P::sgt && constant.sge(-1)))
    tw_value_promise(builder, wrap(value),
                     tile::TileDialect::kNonNegativeAttr.data(),
                     wrap(builder->builder.getUnitAttr()));
}

void tw_value_assume(tw_builder *builder, tw_value handle) {
  Operation *op = unwrap(handle).getDefiningOp();
  if (auto both = dyn_cast_or_null<arith::AndIOp>(op)) {
    tw_value_assume(builder, wrap(both.getLhs()));
    tw_value_assume(builder, wrap(both.getRhs()));
    return;
  }
  auto compare = dyn_cast_or_null<arith::CmpIOp>(op);
  llvm::APInt constant;
  if (!compare)
    return;
  arith::CmpIPredicate is = compare.getPredicate();
  auto isConstant = [&](Value value) {
    // A tile is compared with a splat of the constant.
    auto splat = value.getDefiningOp<tile::SplatOp>();
    return matchPattern(splat ? splat.getSource() : value,
                        m_ConstantInt(&constant));
  };
  if (isConstant(compare.getRhs()))
    assumeComparison(builder, is, compare.getLhs(), constant);
  else if (isConstant(compare.getLhs()))
    assumeComparison(builder, mirror(is), compare.getRhs(), constant);
}
