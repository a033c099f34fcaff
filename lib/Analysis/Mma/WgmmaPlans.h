// Plans the instructions of `warp.wgmma`.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_WGMMAPLANS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_WGMMAPLANS_H

#include "dialect/Warp/WarpOps.h"
#include "lib/Layout/WgmmaTiling.h"

namespace tilewright {

/// The element type of a tile in registers or in shared memory.
mlir::Type getTileElementType(mlir::Value tile);

/// Whether `acc` is zero.
bool isZeroAcc(mlir::Value acc);

/// Whether all accumulators of `wgmma` are zero. Its instructions then do not
/// read them.
bool startsAtZero(warp::WgmmaOp wgmma);

/// The instructions of one `warp.wgmma`. Nothing if tiles have no layouts, or
/// if several operands B are not consecutive tiles of one ring slot.
std::optional<WgmmaPlan> getWgmmaPlan(mlir::Value a, mlir::ValueRange b,
                                      mlir::ValueRange acc);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_WGMMAPLANS_H
