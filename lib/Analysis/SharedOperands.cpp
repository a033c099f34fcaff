#include "lib/Analysis/SharedOperands.h"

#include "lib/Support/TileLayouts.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

/// The narrowest and the widest row that is swizzled, in bytes.
static constexpr int64_t kMinSwizzle = 32, kMaxSwizzle = 128;

/// Whether the threads that hold `tile` have neighbours along `dim`.
static bool isContiguousAlong(RankedTensorType tile, unsigned dim) {
  std::optional<LinearLayout> layout = warp::getLayout(tile);
  return layout &&
         layout->getNumConsecutive(LayoutAxis::Register, dimAxis(dim)) > 1;
}

LinearAttr tilewright::chooseWgmmaOperand(RankedTensorType tile,
                                          unsigned contracted) {
  unsigned across = 1 - contracted;
  int64_t bits = tile.getElementTypeBitWidth();
  bool liesAcross = bits == 16 && isContiguousAlong(tile, across) &&
                    tile.getDimSize(across) * bits / 8 >= kMinSwizzle;
  int32_t fast = liesAcross ? across : contracted;
  int64_t swizzle = std::min(tile.getDimSize(fast) * bits / 8, kMaxSwizzle);
  return LinearAttr::get(
      tile.getContext(),
      panelSharedLayout(tile.getShape(), {fast, 1 - fast}, bits, swizzle));
}
