// One atomic instruction of a thread on global memory, as inline PTX with its
// semantics and scope.

#pragma once

#include "dialect/Tile/TileOps.h"
#include "lib/Analysis/Target/NvidiaTarget.h"

#include "mlir/IR/ImplicitLocOpBuilder.h"

namespace tilewright {

/// Both conditions; null is one that always holds.
mlir::Value emitAnd(mlir::ImplicitLocOpBuilder &b, mlir::Value lhs,
                    mlir::Value rhs);

/// Does `op` where `predicate` holds, to as many elements from `pointer` on as
/// there are `elements`. Gives what was in memory before, one value for each.
llvm::SmallVector<mlir::Value>
emitAtomic(mlir::ImplicitLocOpBuilder &b, tile::AtomicRMWOp op,
           mlir::Value pointer, mlir::ValueRange elements,
           mlir::Value predicate, const NvidiaTarget &target);

/// Does the compare-and-swap `op` where `condition` holds, and gives what was
/// in memory before.
mlir::Value emitAtomicSwap(mlir::ImplicitLocOpBuilder &b, tile::AtomicCASOp op,
                           mlir::Value pointer, mlir::Value compare,
                           mlir::Value value, mlir::Value condition);

} // namespace tilewright
