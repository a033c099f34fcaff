// What the CPU back end compiles. Everything after this check relies on it.

#pragma once

#include "dialect/Tile/TileOps.h"

namespace tilewright::cpu {

/// Reports each op of `kernel` that has no lowering, at its own place.
mlir::LogicalResult checkLegality(tile::FuncOp kernel);

} // namespace tilewright::cpu
