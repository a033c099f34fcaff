// Checks what the CPU back end can compile. Everything after this check relies
// on it.

#pragma once

#include "dialect/Tile/TileOps.h"

namespace tilewright::cpu {

/// Emits an error at each op of `kernel` that has no lowering.
mlir::LogicalResult checkLegality(tile::FuncOp kernel);

} // namespace tilewright::cpu
