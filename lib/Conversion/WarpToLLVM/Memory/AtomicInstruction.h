// One atomic instruction of a thread on global memory, as inline PTX with
// semantics and scope.

#ifndef TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ATOMICINSTRUCTION_H
#define TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ATOMICINSTRUCTION_H

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Returns the conjunction of two conditions; null is always true.
mlir::Value emitAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                    mlir::Value rhs);

/// Applies `op` if `predicate` holds to as many elements from `pointer` on as
/// there are `elements`. Returns the old values in memory, one per element.
llvm::SmallVector<mlir::Value>
emitAtomic(mlir::ImplicitLocOpBuilder &b, tile::AtomicRMWOp op,
           mlir::Value pointer, mlir::ValueRange elements,
           mlir::Value predicate, const NvidiaTarget &target);

/// Does the compare-and-swap `op` if `condition` holds, and returns the old
/// value in memory.
mlir::Value emitAtomicSwap(mlir::ImplicitLocOpBuilder &b, tile::AtomicCASOp op,
                           mlir::Value pointer, mlir::Value compare,
                           mlir::Value value, mlir::Value condition);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_WARPTOLLVM_MEMORY_ATOMICINSTRUCTION_H
