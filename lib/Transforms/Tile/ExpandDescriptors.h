// Expands descriptor accesses to pointers and masks.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILE_EXPANDDESCRIPTORS_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILE_EXPANDDESCRIPTORS_H

#include "dialect/Tile/TileOps.h"

namespace tilewright::tile {

/// Rewrites `op`, a `tile.descriptor_load` or `tile.descriptor_store` of a
/// descriptor made by `tile.make_descriptor`. Fails, and changes nothing, if
/// the descriptor is not known.
mlir::LogicalResult expandDescriptorOp(mlir::Operation *op);

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILE_EXPANDDESCRIPTORS_H
