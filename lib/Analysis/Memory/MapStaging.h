// Shared memory in which the device builds tensor maps.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MEMORY_MAPSTAGING_H
#define TILEWRIGHT_LIB_ANALYSIS_MEMORY_MAPSTAGING_H

#include "dialect/Tile/TileOps.h"

namespace tilewright {

/// The bytes in which the warps of a function, including a producer, build
/// tensor maps of arrays that the host does not know. 0 without such arrays.
int64_t getMapStagingBytes(tile::FuncOp func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MEMORY_MAPSTAGING_H
