// The size of a block that a program can hold.

#ifndef TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H
#define TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H

#include "mlir/IR/BuiltinTypes.h"
#include "mlir/IR/Operation.h"

namespace tilewright::warp {

/// Fails, with an error at `op`, if `tile`, for which `numElements` elements
/// are held, is more than a program can compute on.
llvm::LogicalResult checkTileSize(mlir::Operation *op,
                                  mlir::RankedTensorType tile,
                                  int64_t numElements, int64_t numWarps);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_ANALYSIS_LAYOUT_TILESIZE_H
