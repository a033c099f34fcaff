#include "lib/Layout/LayoutExtents.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/MathExtras.h"

#include <cassert>

using namespace tilewright;
using llvm::ArrayRef;
using llvm::SmallVector;

unsigned tilewright::totalBits(ArrayRef<Extent> extents) {
  unsigned bits = 0;
  for (const Extent &extent : extents)
    bits += extent.bits;
  return bits;
}

const Extent *tilewright::findExtent(ArrayRef<Extent> extents,
                                     LayoutAxis axis) {
  const Extent *it = llvm::find_if(
      extents, [axis](const Extent &extent) { return extent.axis == axis; });
  return it == extents.end() ? nullptr : it;
}

unsigned tilewright::position(ArrayRef<Extent> extents, LayoutAxis axis) {
  unsigned bit = 0;
  for (const Extent &extent : extents) {
    if (extent.axis == axis)
      break;
    bit += extent.bits;
  }
  return bit;
}

static uint64_t getBits(uint64_t flat, unsigned from, unsigned count) {
  // If `count` is zero, `from` may be the number of bits of the word.
  return count ? flat >> from & llvm::maskTrailingOnes<uint64_t>(count) : 0;
}

uint64_t tilewright::extract(uint64_t flat, ArrayRef<Extent> extents,
                             LayoutAxis axis) {
  const Extent *extent = findExtent(extents, axis);
  return extent ? getBits(flat, position(extents, axis), extent->bits) : 0;
}

SmallVector<Coordinate> tilewright::unflatten(uint64_t flat,
                                              ArrayRef<Extent> extents) {
  SmallVector<Coordinate> result;
  unsigned from = 0;
  for (const Extent &extent : extents) {
    result.push_back({extent.axis, getBits(flat, from, extent.bits)});
    from += extent.bits;
  }
  return result;
}

uint64_t tilewright::flatten(ArrayRef<Coordinate> coordinates,
                             ArrayRef<Extent> extents) {
  uint64_t flat = 0;
  for (const Coordinate &c : coordinates) {
    if (!c.value)
      continue;
    assert(findExtent(extents, c.axis) && "no such axis");
    flat ^= c.value << position(extents, c.axis);
  }
  return flat;
}
