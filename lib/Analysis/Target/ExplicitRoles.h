// Explicit warp roles of a kernel, before layouts are assigned.

#ifndef TILEWRIGHT_LIB_ANALYSIS_TARGET_EXPLICITROLES_H
#define TILEWRIGHT_LIB_ANALYSIS_TARGET_EXPLICITROLES_H

#include "dialect/Tile/TileOps.h"
#include "dialect/Warp/WarpOps.h"

namespace tilewright::warp {

/// Whether `op` has a tile in registers as operand or result.
bool touchesTiles(mlir::Operation *op);

/// Whether an op in `region` touches a tile in registers.
bool hasTiles(mlir::Region &region);

/// The roles of `func`; null if it has none.
SpecializeOp getRoles(tile::FuncOp func);

/// The roles of `roles` that have tiles in registers.
llvm::SmallVector<unsigned> getComputingRoles(SpecializeOp roles);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_ANALYSIS_TARGET_EXPLICITROLES_H
