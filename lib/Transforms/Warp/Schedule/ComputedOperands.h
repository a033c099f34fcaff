// Operands of products that threads compute and store in each iteration of a
// loop, as weights of few bits that become halves.

#pragma once

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"
#include "llvm/ADT/SetVector.h"

namespace tilewright::warp {

/// What stores `operand` to its memory, or computes it in registers, if the
/// body of `loop` itself computes it, null otherwise: of a tile that is only
/// loaded threads have no work to do under a product, and the loads of a second
/// one, behind the wait in front of the first one's store, would start late.
mlir::Operation *findMaker(mlir::Value operand, mlir::scf::ForOp loop);

/// Whether all tiles of the kernel of `loop` have places of their own in
/// `limit` bytes of shared memory: those that products read while the next
/// iteration begins share theirs with nothing.
bool fitsApart(mlir::scf::ForOp loop, int64_t limit);

/// Makes one wait for the products of the iteration before, in front of the
/// first of what has `made` operands, whose memory and registers they read, and
/// of the first use of their sums, of `waits`, which stand behind the products
/// of this one. `indices` are the numbers of their sums among what `loop`
/// carries. The memory is made in front of the loop, and what gives slots back
/// stands behind the wait.
WgmmaWaitOp waitBeforeStores(mlir::scf::ForOp loop,
                             llvm::ArrayRef<mlir::Operation *> made,
                             llvm::ArrayRef<WgmmaWaitOp> waits,
                             llvm::ArrayRef<unsigned> indices,
                             llvm::ArrayRef<RingReleaseOp> releases,
                             mlir::RewriterBase &b);

/// Adds to `ops` what they need that stands behind `place`, as the addresses of
/// copies do in front of a wait for the product before.
void addWhatTheyNeed(llvm::SmallSetVector<mlir::Operation *, 16> &ops,
                     mlir::Operation *place);

} // namespace tilewright::warp
