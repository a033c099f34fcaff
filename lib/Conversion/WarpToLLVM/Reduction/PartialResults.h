// Partial results of a reduction, and the ops that combine them.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_PARTIALRESULTS_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_PARTIALRESULTS_H

#include "dialect/Tile/TileOps.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// One value per operand of the reduction.
using Partial = llvm::SmallVector<mlir::Value>;

/// Applies the combine region to two partial results.
Partial emitCombine(mlir::ImplicitLocOpBuilder &b, tile::ReduceOp op,
                    const Partial &lhs, const Partial &rhs);

/// Combines neighbours in a balanced tree, in the order of `partials`; their
/// number is a power of two.
Partial emitCombineInOrder(mlir::ImplicitLocOpBuilder &b, tile::ReduceOp op,
                           llvm::SmallVector<Partial> partials);

/// Whether this thread's lane has the bit `mask` (i1).
mlir::Value emitHasLaneBit(mlir::ImplicitLocOpBuilder &b, uint64_t mask);

/// Returns the partial of the lane whose number differs in the bits of `mask`.
Partial emitShuffleXor(mlir::ImplicitLocOpBuilder &b, const Partial &partial,
                       uint64_t mask);

/// Returns `lhs` if `condition` (i1) holds, else `rhs`.
Partial emitSelect(mlir::ImplicitLocOpBuilder &b, mlir::Value condition,
                   const Partial &lhs, const Partial &rhs);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_REDUCTION_PARTIALRESULTS_H
