// Finds vectors that a loop stages in shared memory with the operands of its
// dots.

#ifndef TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H
#define TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H

#include "dialect/Tile/TileOps.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright {

using StagedVectors = llvm::SmallSetVector<mlir::Operation *, 4>;

/// The loads of vectors, such as scales, sums or logarithms with one element
/// for each row or column of a tile. They are copied to shared memory with the
/// operands of the dots of their loop. Each element is so prefetched once,
/// instead of being loaded on use by each thread. `numStages` is the default
/// for loops without a hint.
StagedVectors findStagedVectors(tile::FuncOp func, int64_t numStages);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_SHAREDMEMORY_STAGEDVECTORS_H
