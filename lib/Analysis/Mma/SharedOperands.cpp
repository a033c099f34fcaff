#include "lib/Analysis/Mma/SharedOperands.h"

#include "lib/Layout/TileLayouts.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

/// The narrowest and the widest swizzle in bytes, and the chunks that it
/// permutes. Narrower rows cannot be contiguous across the contracted
/// dimension.
static constexpr int64_t kMinSwizzle = 32, kMaxSwizzle = 128, kChunkBytes = 16;

/// The number of register bits that count consecutive elements along `dim`, in
/// any order, as joins leave them.
static unsigned countNeighbourBits(const LinearLayout &layout, unsigned dim) {
  SmallVector<int64_t> neighbour(layout.getRank(), 0);
  auto isHeld = [&] {
    for (unsigned i = 0; i < layout.getInBits(LayoutAxis::Register); ++i)
      if (layout.getBasis(LayoutAxis::Register, i) == neighbour)
        return true;
    return false;
  };
  unsigned bits = 0;
  while (bits < layout.getOutBits(dimAxis(dim))) {
    neighbour[dim] = int64_t(1) << bits;
    if (!isHeld())
      break;
    ++bits;
  }
  return bits;
}

/// Whether the threads that hold `tile` write consecutive elements along `dim`
/// together. No thread holds consecutive elements along the other dimension in
/// order, and one of these is true:
/// 1. Each thread holds consecutive elements along `dim` in order.
/// 2. Each thread holds more of them, in any order, than along the other one.
/// 3. Adjacent lanes hold them.
static bool isContiguousAlong(RankedTensorType tile, unsigned dim) {
  std::optional<LinearLayout> layout = warp::getLayout(tile);
  auto follow = [&](LayoutAxis axis, unsigned along) {
    return layout->getNumConsecutive(axis, dimAxis(along)) > 1;
  };
  if (!layout || follow(LayoutAxis::Register, 1 - dim))
    return false;
  return follow(LayoutAxis::Register, dim) ||
         countNeighbourBits(*layout, dim) >
             countNeighbourBits(*layout, 1 - dim) ||
         follow(LayoutAxis::Lane, dim);
}

LinearAttr tilewright::chooseWgmmaOperand(RankedTensorType tile,
                                          unsigned contracted) {
  unsigned across = 1 - contracted;
  int64_t bits = tile.getElementTypeBitWidth();
  bool liesAcross = bits == 16 && isContiguousAlong(tile, across) &&
                    tile.getDimSize(across) * bits / 8 >= kMinSwizzle;
  int32_t fast = liesAcross ? across : contracted;
  const int32_t order[] = {fast, 1 - fast};
  int64_t rowBytes = tile.getDimSize(fast) * bits / 8;
  return LinearAttr::get(
      tile.getContext(),
      rowBytes < kChunkBytes
          ? sharedLayout(tile.getShape(), order)
          : panelSharedLayout(tile.getShape(), order, bits,
                              std::min(rowBytes, kMaxSwizzle)));
}
