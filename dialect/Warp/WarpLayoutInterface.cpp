#include "dialect/Warp/WarpLayoutInterface.h"

#include "dialect/Warp/WarpAttributes.h"
#include "lib/Layout/LayoutInference.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::warp;

FailureOr<Attribute>
WarpLayoutInterface::inferExpandDims(RankedTensorType source,
                                     unsigned axis) const {
  std::optional<LinearLayout> layout = getLayout(source);
  if (!layout || layout->getRank() == kMaxLayoutRank)
    return failure();
  return Attribute(LinearAttr::get(getContext(), layout->expandDim(axis)));
}

FailureOr<Attribute>
WarpLayoutInterface::inferTranspose(RankedTensorType source,
                                    ArrayRef<int32_t> order) const {
  std::optional<LinearLayout> layout = getLayout(source);
  if (!layout)
    return failure();
  return Attribute(LinearAttr::get(getContext(), layout->transpose(order)));
}

FailureOr<Attribute> WarpLayoutInterface::inferReduce(RankedTensorType source,
                                                      unsigned axis) const {
  std::optional<LinearLayout> layout = getLayout(source);
  if (!layout)
    return failure();
  return Attribute(LinearAttr::get(getContext(), reducedLayout(*layout, axis)));
}

bool WarpLayoutInterface::isBroadcast(RankedTensorType source,
                                      RankedTensorType result) const {
  std::optional<LinearLayout> from = getLayout(source), to = getLayout(result);
  return from && to && broadcastRegisters(*from, *to).has_value();
}

bool WarpLayoutInterface::isReshape(RankedTensorType source,
                                    RankedTensorType result) const {
  std::optional<LinearLayout> from = getLayout(source), to = getLayout(result);
  return from && to && reshapeRegisters(*from, *to).has_value();
}
