#include "lib/Analysis/Mma/ThreadDot.h"

#include "dialect/Warp/WarpTypes.h"
#include "lib/Layout/LayoutInference.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

static bool holdsOperand(Value operand, MmaOperand role,
                         const LinearLayout &acc) {
  std::optional<LinearLayout> held = warp::getLayout(operand.getType());
  int64_t depth = cast<RankedTensorType>(operand.getType())
                      .getDimSize(getContractedDim(role, acc.getRank()));
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

bool tilewright::hasNeighboursAlong(const LinearLayout &layout, unsigned dim) {
  return layout.getNumConsecutive(LayoutAxis::Register, dimAxis(dim)) > 1;
}

LinearAttr tilewright::chooseThreadOperand(RankedTensorType tile,
                                           unsigned contracted) {
  constexpr int64_t kMinSwizzle = 32, kMaxSwizzle = 128;
  ArrayRef<int64_t> shape = tile.getShape();
  // The batch comes first.
  const unsigned across = 2 * shape.size() - 3 - contracted;
  std::optional<LinearLayout> layout = warp::getLayout(tile);
  bool liesAlong =
      shape.size() == 2 && layout && hasNeighboursAlong(*layout, contracted);
  SmallVector<int32_t> order(2);
  order[0] = liesAlong ? contracted : across;
  order[1] = liesAlong ? across : contracted;
  unsigned bits = 8 * warp::getElementBytes(tile.getElementType());
  int64_t rowBytes = shape[order[0]] * bits / 8;
  for (int32_t dim = shape.size() - 2; dim-- > 0;)
    order.push_back(dim);
  bool isSwizzled = shape.size() == 2 && rowBytes >= kMinSwizzle;
  return LinearAttr::get(
      tile.getContext(),
      isSwizzled ? panelSharedLayout(shape, order, bits,
                                     std::min(rowBytes, kMaxSwizzle))
                 : sharedLayout(shape, order));
}
