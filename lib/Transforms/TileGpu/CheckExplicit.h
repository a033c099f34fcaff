// The steps of tile-gpu-check-explicit.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_CHECKEXPLICIT_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_CHECKEXPLICIT_H

#include "dialect/Tile/TileOps.h"

namespace tilewright::tile_gpu {

/// Emits an error and fails if the rings of an explicit kernel are not used as
/// their ops require.
llvm::LogicalResult checkRings(tile::FuncOp func);

} // namespace tilewright::tile_gpu

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_CHECKEXPLICIT_H
