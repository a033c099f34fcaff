// Proves that scalars of a kernel are never negative. Integers are assumed not
// to wrap around.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H

#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewright {

/// The arguments that are sizes: those that bound masks or loops, and those
/// that are operands of divisions.
llvm::DenseSet<mlir::Value> findSizes(tile::FuncOp func,
                                      AffineTileAnalysis &tiles);

/// The sizes that no sensible caller passes below zero. Such an argument alone,
/// up to a constant, is an upper bound, or is divided and rounded up to count
/// blocks.
llvm::DenseSet<mlir::Value> findLimits(tile::FuncOp func,
                                       AffineTileAnalysis &tiles);

/// Whether a scalar of the kernel is never negative. These are not:
/// 1. Program ids, non-negative constants, and values that are promised not to
///    be.
/// 2. Loop counters from or down to a non-negative bound.
/// 3. Arguments, loaded values and loop-carried values for which `isSize` is
///    true.
/// 4. Results of arithmetic and control flow on such values. A loop-carried
///    value is proved by induction over the iterations.
bool isNonNegative(mlir::Value value,
                   llvm::function_ref<bool(mlir::Value)> isSize);
bool isNonNegative(const Polynomial &polynomial,
                   llvm::function_ref<bool(mlir::Value)> isSize);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H
