// wgmma operands that threads compute in each iteration of a loop, such as
// weights that are converted to f16.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_COMPUTEDOPERANDS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_COMPUTEDOPERANDS_H

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

/// Returns the op in the body of `loop` that computes `operand`, in registers
/// or with the store to its memory, or null. A tile that is merely loaded does
/// not count, for two reasons:
/// 1. It leaves the threads no work that overlaps a wgmma.
/// 2. The loads of a second operand would start late, after the wait that
///    precedes the first operand's store.
mlir::Operation *findComputingOp(mlir::Value operand, mlir::scf::ForOp loop);

/// Whether all tiles of the kernel of `loop` fit into `limit` bytes of shared
/// memory at disjoint addresses. A tile that wgmma reads while the next
/// iteration begins shares its memory with no other tile.
bool fitsDisjoint(mlir::scf::ForOp loop, int64_t limit);

/// Merges `waits`, which follow the wgmmas of an iteration, into one wait for
/// the wgmmas of the previous iteration. The wait precedes:
/// 1. the first op of `computed`, which overwrites memory or registers that
///    those wgmmas read;
/// 2. the first use of their accumulators.
/// `indices` are the positions of the accumulators among the iter_args of
/// `loop`. The operands' memory is allocated before the loop, and `releases`
/// follow the wait.
WgmmaWaitOp waitBeforeStores(mlir::scf::ForOp loop,
                             llvm::ArrayRef<mlir::Operation *> computed,
                             llvm::ArrayRef<WgmmaWaitOp> waits,
                             llvm::ArrayRef<unsigned> indices,
                             llvm::ArrayRef<RingReleaseOp> releases,
                             mlir::RewriterBase &b);

/// Adds to `ops` all ops after `position` that they depend on, such as the
/// address computation of copies that move to after a wait.
void addDependencesAfter(llvm::SmallSetVector<mlir::Operation *, 16> &ops,
                         mlir::Operation *position);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_COMPUTEDOPERANDS_H
