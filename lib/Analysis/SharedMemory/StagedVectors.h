// Rows of numbers that a loop loads beside the operands of its products.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H

#include "dialect/Tile/TileOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

using StagedVectors = llvm::SmallSetVector<mlir::Operation *, 4>;

/// The loads of rows, such as scales, sums or logarithms, one number for each
/// row or column of a tile, that go through memory beside the operands that
/// their loop loads: each is copied once, ahead, instead of once by each thread
/// that computes with it, when it does. `numStages` is how many iterations are
/// in flight where a loop does not say.
StagedVectors findStagedVectors(tile::FuncOp func, int64_t numStages);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H
