// Whether copies may make a store to a block of an array: they arrive in any
// order.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"

namespace tilewright {

/// Whether a loop brings `store` to the same block of its array again: copies
/// need not arrive in the order in which they were started.
bool isRepeated(tile::DescriptorStoreOp store);

/// Whether nothing but `store` touches its array, as far as the arguments tell:
/// loads would not see it, and other stores might come before it.
bool isAlone(tile::DescriptorStoreOp store, AffineTileAnalysis &tiles);

} // namespace tilewright
