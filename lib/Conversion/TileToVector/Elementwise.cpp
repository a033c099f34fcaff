// Emits elementwise ops on scalars and vectors. Ops on short floats that
// hardware lacks are computed in f32 and rounded after each op, so that results
// do not depend on fusion.

#include "lib/Conversion/TileToVector/Evaluator.h"
#include "lib/Conversion/TileToVector/ShortFloats.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/Math/IR/Math.h"

using namespace mlir;

namespace tilewright::cpu {

static Type shaped(Type element, unsigned lanes) {
  return lanes == 1 ? element : Type(VectorType::get({lanes}, element));
}

/// Whether `op` only moves bits and so works on any type.
static bool movesBits(Operation *op) {
  return isa<arith::SelectOp, arith::BitcastOp>(op);
}

static bool isFloatCast(Operation *op) {
  return isa<arith::ExtFOp, arith::TruncFOp>(op);
}

static Value bitcast(Emitter &e, Operation *op, Value operand, unsigned lanes) {
  Type type = shaped(e.lowerElement(op->getResult(0).getType()), lanes);
  if (type == operand.getType())
    return operand;
  return arith::BitcastOp::create(e.b, e.loc, type, operand);
}

/// Ops whose results in f32 do not determine the short float: null for others.
static Value emitRoundedOnce(Emitter &e, Operation *op, ValueRange operands) {
  Type element = getElementTypeOrSelf(op->getResult(0).getType());
  if (isa<math::FmaOp>(op) && isShortFloat(element))
    return emitShortFma(e.b, e.loc, operands, element);
  // f16 and 8-bit floats end where f32 still holds all integers.
  if (!isa<arith::SIToFPOp, arith::UIToFPOp>(op) || !element.isBF16() ||
      getElementTypeOrSelf(operands[0].getType()).getIntOrFloatBitWidth() <= 24)
    return {};
  Value wide =
      integerToOddF32(e.b, e.loc, operands[0], isa<arith::SIToFPOp>(op));
  return roundFromF32(e.b, e.loc, wide, element);
}

static SmallVector<Value> extendOperands(Emitter &e, Operation *op,
                                         ValueRange operands) {
  SmallVector<Value> result;
  for (auto [operand, original] : llvm::zip(operands, op->getOperands())) {
    Type element = getElementTypeOrSelf(original.getType());
    result.push_back(isShortFloat(element)
                         ? extendToF32(e.b, e.loc, operand, element)
                         : operand);
  }
  return result;
}

SmallVector<Value> emitElementwise(Emitter &e, Operation *op,
                                   ValueRange operands, unsigned lanes) {
  if (isFloatCast(op))
    return {convertFloat(e.b, e.loc, operands[0],
                         getElementTypeOrSelf(op->getOperand(0).getType()),
                         getElementTypeOrSelf(op->getResult(0).getType()))};
  if (isa<arith::BitcastOp>(op))
    return {bitcast(e, op, operands[0], lanes)};
  if (Value rounded = emitRoundedOnce(e, op, operands))
    return {rounded};
  SmallVector<Value> inputs(operands);
  if (!movesBits(op))
    inputs = extendOperands(e, op, operands);
  SmallVector<Type> types;
  for (Type type : op->getResultTypes()) {
    Type element = getElementTypeOrSelf(type);
    const bool inF32 = isShortFloat(element) && !movesBits(op);
    types.push_back(
        shaped(inF32 ? e.b.getF32Type() : e.lowerElement(element), lanes));
  }
  OperationState state(e.loc, op->getName().getIdentifier(), inputs, types,
                       op->getAttrs());
  Operation *lowered = e.b.create(state);
  SmallVector<Value> results;
  for (auto [value, type] :
       llvm::zip(lowered->getResults(), op->getResultTypes())) {
    Type element = getElementTypeOrSelf(type);
    const bool inF32 = isShortFloat(element) && !movesBits(op);
    results.push_back(inF32 ? roundFromF32(e.b, e.loc, value, element)
                            : Value(value));
  }
  return results;
}

} // namespace tilewright::cpu
