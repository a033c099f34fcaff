// The instructions of tensor-core products.

#pragma once

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

namespace tilewright {

/// The type of the elements of a tile, wherever it is.
mlir::Type getTileElementType(mlir::Value tile);

/// Whether the accumulator of a product is zeros.
bool startsAtZero(mlir::Value acc);

/// The instructions of a product by `warp.wgmma`.
std::optional<WgmmaPlan> getWgmmaPlan(mlir::Value a, mlir::Value b,
                                      mlir::Value acc);

/// The instructions of products by `warp.wgmma_beside`; nothing where the right
/// sides do not lie one behind the other, as tiles of one slot do.
std::optional<WgmmaPlan> getWgmmaPlan(mlir::Value a, mlir::ValueRange b,
                                      mlir::ValueRange acc);

} // namespace tilewright
