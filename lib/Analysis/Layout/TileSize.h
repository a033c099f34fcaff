// Limits the size of a block.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilewright::warp {

/// Fails with an error at `op` if `tile` is too large for `numWarps` warps or
/// has too high a rank. `numElements` is its size with padding.
llvm::LogicalResult checkTileSize(mlir::Operation *op,
                                  mlir::RankedTensorType tile,
                                  int64_t numElements, int64_t numWarps);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H
