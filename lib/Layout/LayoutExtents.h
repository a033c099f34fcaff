// Packs the coordinates of several axes into the bits of one flat index.
// Private to the files of LinearLayout.

#ifndef TILEWRIGHT_LIB_LAYOUT_LAYOUTEXTENTS_H
#define TILEWRIGHT_LIB_LAYOUT_LAYOUTEXTENTS_H

#include "lib/Layout/LinearLayout.h"

namespace tilewright {

unsigned totalBits(llvm::ArrayRef<Extent> extents);

/// The extent of `axis`, or null.
const Extent *findExtent(llvm::ArrayRef<Extent> extents, LayoutAxis axis);

/// The lowest bit of `axis` in a flat index.
unsigned position(llvm::ArrayRef<Extent> extents, LayoutAxis axis);

/// The coordinate along `axis` of a flat index; zero where there is no `axis`.
uint64_t extract(uint64_t flat, llvm::ArrayRef<Extent> extents,
                 LayoutAxis axis);

llvm::SmallVector<Coordinate> unflatten(uint64_t flat,
                                        llvm::ArrayRef<Extent> extents);
uint64_t flatten(llvm::ArrayRef<Coordinate> coordinates,
                 llvm::ArrayRef<Extent> extents);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_LAYOUT_LAYOUTEXTENTS_H
