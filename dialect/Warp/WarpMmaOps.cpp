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

/// Whether these are the shapes of a product, or of as many as the first
/// dimension counts (C1).
static bool areMmaShapes(ArrayRef<int64_t> a, ArrayRef<int64_t> b,
                         ArrayRef<int64_t> acc) {
  size_t rank = acc.size();
  if ((rank != 2 && rank != 3) || a.size() != rank || b.size() != rank)
    return false;
  bool sameBatch = rank == 2 || (a[0] == acc[0] && b[0] == acc[0]);
  return sameBatch && a[rank - 1] == b[rank - 2] &&
         a[rank - 2] == acc[rank - 2] && b[rank - 1] == acc[rank - 1];
}

LogicalResult MmaOp::verify() {
  auto a = cast<RankedTensorType>(getA().getType());
  auto b = cast<RankedTensorType>(getB().getType());
  auto acc = cast<RankedTensorType>(getAcc().getType());
  if (!areMmaShapes(a.getShape(), b.getShape(), acc.getShape())) // C1
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
