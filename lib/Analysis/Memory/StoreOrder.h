// Checks whether asynchronous copies, which complete in any order, may
// implement a store to a block of an array.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_STOREORDER_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_STOREORDER_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Facts/AffineTiles.h"

namespace tilewright {

/// Whether a loop executes `store` to the same block repeatedly. Copies need
/// not complete in the order in which they were started.
bool isRepeated(tile::DescriptorStoreOp store);

/// Whether no other op accesses the array of `store`, as far as the origins of
/// pointers tell. Loads would not see the store, and it might overtake other
/// stores.
bool isAlone(tile::DescriptorStoreOp store, AffineTileAnalysis &tiles);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_STOREORDER_H
