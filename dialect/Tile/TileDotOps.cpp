#include "dialect/Tile/TileOps.h"

#include "mlir/IR/Builders.h"
#include "mlir/IR/Matchers.h"

using namespace mlir;
using namespace tilewright::tile;

#define GET_OP_CLASSES
#include "dialect/Tile/TileDotOps.cpp.inc"

/// Whether operands of type `operand` may be accumulated in `acc` (C3).
static bool mayAccumulate(Type operand, Type acc) {
  if (operand.isInteger(8))
    return acc.isInteger(32);
  if (operand.isF16() || operand.isBF16() || isFloat8(operand))
    return acc.isF32() || (acc.isF16() && !operand.isBF16());
  return isa<FloatType>(operand) && operand == acc;
}

LogicalResult DotOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (!areDotShapes(a.getShape(), b.getShape(), acc.getShape())) // C1
    return emitOpError("multiplies MxK by KxN into MxN, got ")
           << a << ", " << b << " and " << acc;
  Type aElement = a.getElementType(), bElement = b.getElementType();
  if (aElement != bElement && !(isFloat8(aElement) && isFloat8(bElement))) // C2
    return emitOpError("multiplies elements of one type, got ")
           << aElement << " and " << bElement;
  if (!mayAccumulate(aElement, acc.getElementType())) // C3
    return emitOpError("cannot accumulate dots of ")
           << aElement << " in " << acc.getElementType();
  if (getPrecision() != DotPrecision::IEEE && !aElement.isF32()) // C4
    return emitOpError("precision '")
           << stringifyDotPrecision(getPrecision())
           << "' is for f32 operands, got " << aElement;
  return success();
}

/// An integer dot with zero adds nothing. With floats it may: zero times
/// infinity is NaN.
OpFoldResult DotOp::fold(FoldAdaptor adaptor) {
  if (!getElementTypeOrSelf(getA().getType()).isInteger())
    return {};
  if (matchPattern(adaptor.getA(), m_Zero()) ||
      matchPattern(adaptor.getB(), m_Zero()))
    return getAcc();
  return {};
}
