#include "dialect/Tile/TileTypes.h"
#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/MmaTiling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpMmaOps.cpp.inc"

/// Whether the tensor cores multiply these types (C2).
static bool areMmaTypes(Type a, Type b, Type acc) {
  if (tile::isFloat8(a) && tile::isFloat8(b))
    return acc.isF32();
  if (a != b)
    return false;
  if (a.isF16())
    return acc.isF32() || acc.isF16();
  if (a.isBF16() || a.isF32())
    return acc.isF32();
  return a.isSignlessInteger(8) && acc.isSignlessInteger(32);
}

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (!tile::areDotShapes(a.getShape(), b.getShape(), acc.getShape())) // C1
    return emitOpError("multiplies MxK by KxN onto MxN, got ")
           << a << ", " << b << " and " << acc;
  if (!areMmaTypes(a.getElementType(), b.getElementType(),
                   acc.getElementType())) // C2
    return emitOpError("has no tensor-core instruction for ")
           << a.getElementType() << ", " << b.getElementType() << " and "
           << acc.getElementType();
  auto layoutA = getLayout(a), layoutB = getLayout(b), layoutC = getLayout(acc);
  if (!layoutA || !layoutB || !layoutC ||
      !planMma(*layoutA, *layoutB, *layoutC, a.getElementTypeBitWidth())) // C3
    return emitOpError("has layouts that no tensor-core instruction takes: ")
           << a << ", " << b << " and " << acc;
  return success();
}
