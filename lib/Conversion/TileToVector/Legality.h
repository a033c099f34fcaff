// Checks what the CPU back end can compile. Everything after this check relies
// on it.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LEGALITY_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LEGALITY_H

#include "dialect/Tile/TileOps.h"

namespace tilewright::cpu {

/// Emits an error at each op of `kernel` that has no lowering.
mlir::LogicalResult checkLegality(tile::FuncOp kernel);

} // namespace tilewright::cpu

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOVECTOR_LEGALITY_H
