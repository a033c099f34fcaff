// Partial results of a reduction, and the steps that make one of them.

#pragma once

#include "dialect/Tile/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// One value for each operand of the reduction.
using Partial = llvm::SmallVector<mlir::Value>;

/// The combine region, applied to two partial results.
Partial emitCombine(mlir::ImplicitLocOpBuilder &b, tile::ReduceOp op,
                    const Partial &lhs, const Partial &rhs);

/// Combines neighbours: a balanced tree, in the order of `partials`, which are
/// a power of two.
Partial emitCombineInOrder(mlir::ImplicitLocOpBuilder &b, tile::ReduceOp op,
                           llvm::SmallVector<Partial> partials);

/// Whether this thread's lane has the bit `mask` (i1).
mlir::Value emitHasLaneBit(mlir::ImplicitLocOpBuilder &b, uint64_t mask);

/// What the lane with the other number in the bits of `mask` has.
Partial emitShuffleXor(mlir::ImplicitLocOpBuilder &b, const Partial &partial,
                       uint64_t mask);

/// `lhs` where `condition` (i1) holds, else `rhs`.
Partial emitSelect(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                   const Partial &lhs, const Partial &rhs);

} // namespace tilewright
