// A tile as the tensor memory accelerator of Hopper copies it.
//
// One copy moves a *box*, at most 256 elements along each dimension, between
// global memory and consecutive shared memory, in row-major order. With a
// swizzle over S bytes (32, 64 or 128) the rows of a box are S bytes long, and
// the 16-byte chunks of a row are permuted as panelSharedLayout says. A tile
// with wider rows is a sequence of such panels, each a box.
//
// The blocks of a cluster that need the same tile divide its copy: each brings
// a part of the boxes to all. The parts look alike, but for where they start,
// so that one code serves all blocks.

#pragma once

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

/// One copy: where its box starts, in the tile and in shared memory.
struct TmaBox {
  llvm::SmallVector<int64_t> start;
  int64_t offsetBytes;
};

struct TmaPlan {
  /// 0 (none), 32, 64 or 128.
  unsigned swizzleBytes;
  /// The sides of each box, outermost dimension first.
  llvm::SmallVector<int64_t> box;
  /// In the order of the parts, if the copy is divided.
  llvm::SmallVector<TmaBox> boxes;
};

/// The copies of a tile with elements of `elementBits` that lies in shared
/// memory as `layout` says, or nothing if no copies can bring it there.
std::optional<TmaPlan> planTma(const LinearLayout &layout,
                               unsigned elementBits);

/// The same in `numParts` parts of equally many boxes, a power of two; part p
/// is part 0 moved p times as far as part 1 is. Nothing if there is no such
/// division.
std::optional<TmaPlan> planTma(const LinearLayout &layout, unsigned elementBits,
                               unsigned numParts);

/// A layout of a tile of `shape` that has a plan: with the widest swizzle, if
/// the tile is a matrix. Nothing if its rows are no multiple of 16 bytes.
std::optional<LinearLayout> tmaLayout(llvm::ArrayRef<int64_t> shape,
                                      unsigned elementBits);

} // namespace tilewright
