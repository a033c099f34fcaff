#include "dialect/Warp/WarpOps.h"
#include "lib/Support/MmaTiling.h"

#include "mlir/IR/Builders.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

#define GET_OP_CLASSES
#include "dialect/Warp/WarpMmaOps.cpp.inc"

static bool isEightBitFloat(Type type) {
  return isa<Float8E4M3FNType, Float8E5M2Type>(type);
}

/// Whether the tensor cores multiply these types (C2).
static bool areMmaTypes(Type a, Type b, Type acc) {
  if (isEightBitFloat(a) && isEightBitFloat(b))
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
  if (a.getRank() != 2 || b.getRank() != 2 || acc.getRank() != 2 ||
      a.getDimSize(0) != acc.getDimSize(0) ||
      a.getDimSize(1) != b.getDimSize(0) ||
      b.getDimSize(1) != acc.getDimSize(1)) // C1
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
