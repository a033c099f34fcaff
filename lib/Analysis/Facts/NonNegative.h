// Which scalars of a kernel are never negative. Integers are taken as
// unbounded: arithmetic that wraps has no meaning here.

#ifndef TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H
#define TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H

#include "lib/Analysis/Facts/AffineTiles.h"

#include "dialect/Tile/TileOps.h"

#include "llvm/ADT/DenseSet.h"

namespace tilewright {

/// The arguments that count something: those that bound masks or loops, and
/// those that something is divided by.
llvm::DenseSet<mlir::Value> findSizes(tile::FuncOp func,
                                      AffineTileAnalysis &tiles);

/// Those of them that no sensible caller gives below zero: they alone bound
/// what counts from zero, or are divided and rounded up to count blocks.
llvm::DenseSet<mlir::Value> findLimits(tile::FuncOp func,
                                       AffineTileAnalysis &tiles);

/// Whether the kernel's scalar is never negative. Program ids, loop counters
/// from or down to a non-negative bound and constants are not, nor are sums,
/// products, quotients, remainders and minima of such, and what loops make of
/// them from one iteration to the next. `isSize` tells which arguments, numbers
/// from memory, and numbers that loops carry, are none either; nor is what is
/// promised not to be.
bool isNonNegative(mlir::Value value,
                   llvm::function_ref<bool(mlir::Value)> isSize);
bool isNonNegative(const Polynomial &polynomial,
                   llvm::function_ref<bool(mlir::Value)> isSize);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_FACTS_NONNEGATIVE_H
