#include "lib/Analysis/ThreadDot.h"

#include "dialect/Warp/WarpAttributes.h"
#include "dialect/Warp/WarpTypes.h"
#include "lib/Support/LayoutInference.h"

#include "llvm/Support/MathExtras.h"

using namespace mlir;
using namespace tilewright;

/// Accesses of shared memory are up to this wide.
static constexpr int64_t kAlignment = 16;

static RankedTensorType getTile(Value operand) {
  return cast<RankedTensorType>(operand.getType());
}

static bool holdsOperand(Value operand, MmaOperand role,
                         const LinearLayout &acc) {
  std::optional<LinearLayout> held = warp::getLayout(operand.getType());
  int64_t depth =
      getTile(operand).getDimSize(getContractedDim(role, acc.getRank()));
  return held && registerMap(*held, warp::withAllAxes(
                                        threadOperandLayout(role, acc, depth)))
                     .has_value();
}

unsigned tilewright::getContractedDim(MmaOperand operand, unsigned rank) {
  return rank - (operand == MmaOperand::A ? 1 : 2);
}

bool tilewright::holdsOperands(tile::DotOp dot) {
  std::optional<LinearLayout> acc = warp::getLayout(dot.getType());
  return acc && holdsOperand(dot.getA(), MmaOperand::A, *acc) &&
         holdsOperand(dot.getB(), MmaOperand::B, *acc);
}

LinearLayout tilewright::getStepMajorLayout(MmaOperand operand,
                                            ArrayRef<int64_t> shape) {
  const unsigned contracted = getContractedDim(operand, shape.size());
  SmallVector<int32_t> order;
  for (int32_t dim = shape.size(); dim-- > 0;)
    if (unsigned(dim) != contracted)
      order.push_back(dim);
  order.push_back(contracted);
  return sharedLayout(shape, order);
}

static int64_t getBytes(Value operand) {
  RankedTensorType type = getTile(operand);
  return type.getNumElements() * warp::getElementBytes(type.getElementType());
}

int64_t tilewright::getSecondOperandOffset(tile::DotOp dot) {
  return llvm::alignTo(getBytes(dot.getA()), kAlignment);
}

int64_t tilewright::getDotScratchBytes(tile::DotOp dot) {
  if (!warp::getLayout(dot.getType()) || holdsOperands(dot))
    return 0;
  return getSecondOperandOffset(dot) + getBytes(dot.getB());
}
