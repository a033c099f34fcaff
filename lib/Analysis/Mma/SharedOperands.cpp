#include "lib/Analysis/Mma/SharedOperands.h"

#include "lib/Layout/TileLayouts.h"

#include <algorithm>

using namespace mlir;
using namespace tilewright;
using warp::LinearAttr;

/// The narrowest row that an operand read across has, and the widest one that
/// is swizzled, in bytes; what is permuted are chunks.
static constexpr int64_t kMinSwizzle = 32, kMaxSwizzle = 128, kChunkBytes = 16;

/// How many bits of the registers of a thread count neighbours along `dim`, in
/// whatever order, as joins leave them.
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

/// Whether the threads that hold `tile` write neighbours along `dim` together:
/// each has several in a row, or, where none has any in a row, more of them
/// than along the other dimension, or threads side by side have them.
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
