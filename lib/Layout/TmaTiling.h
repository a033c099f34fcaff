// Plans the copies of a tile by the tensor memory accelerator of Hopper.
//
// One copy moves a *box*, at most 256 elements along each dimension, between
// global memory and consecutive shared memory, in row-major order. With a
// swizzle over S bytes (32, 64 or 128), the rows of a box are S bytes long. The
// 16-byte chunks of a row are then permuted as in panelSharedLayout. A tile
// with wider rows is a sequence of such panels, each a box.
//
// The CTAs of a cluster that need the same tile divide its copy: each
// multicasts a part of the boxes to all. The parts differ only in their start,
// so that all CTAs run the same code.

#ifndef TILEWRIGHT_LIB_LAYOUT_TMATILING_H
#define TILEWRIGHT_LIB_LAYOUT_TMATILING_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// One copy: the start of its box in the tile and in shared memory.
struct TmaBox {
  llvm::SmallVector<int64_t> start;
  int64_t offsetBytes;
};

struct TmaPlan {
  /// 0 (none), 32, 64 or 128.
  unsigned swizzleBytes;
  /// The extents of each box, outermost dimension first.
  llvm::SmallVector<int64_t> box;
  /// In the order of the parts, if the copy is divided.
  llvm::SmallVector<TmaBox> boxes;
};

/// The copies of a tile with elements of `elementBits` and the given layout in
/// shared memory. Nothing if copies cannot produce that layout.
std::optional<TmaPlan> planTma(const LinearLayout &layout,
                               unsigned elementBits);

/// The same in `numParts` parts, a power of two, with equally many boxes. Part
/// p is part 0 shifted p times as far as part 1. Nothing if there is no such
/// division.
std::optional<TmaPlan> planTma(const LinearLayout &layout, unsigned elementBits,
                               unsigned numParts);

/// A layout of a tile of `shape` that copies can produce, with the widest
/// swizzle if the tile is a matrix. Nothing if its rows are not a multiple of
/// 16 bytes.
std::optional<LinearLayout> tmaLayout(llvm::ArrayRef<int64_t> shape,
                                      unsigned elementBits);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_TMATILING_H
