// Accumulators that a loop carries and whose wait can move to the next
// iteration.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPCARRIEDACCUMULATORS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPCARRIEDACCUMULATORS_H

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tilewright::warp {

/// The wgmmas of a loop that add to loop-carried accumulators.
struct LoopCarriedAccumulators {
  mlir::scf::ForOp loop;
  /// One wait for each accumulator.
  llvm::SmallVector<WgmmaWaitOp> waits;
  /// The positions of the accumulators among the iter_args of `loop`.
  llvm::SmallVector<unsigned> indices;
  /// The number of wgmmas in one iteration.
  unsigned numDots = 0;
  /// The ops that compute operands in each iteration, see `findComputingOp`.
  llvm::SmallSetVector<mlir::Operation *, 2> computed;
};

/// Returns the accumulators of `loop` if all of its wgmmas add to them and
/// nothing else needs them before the next iteration.
std::optional<LoopCarriedAccumulators>
findLoopCarriedAccumulators(mlir::scf::ForOp loop);

/// Returns the releases of the slots that the wgmmas of the loop read, in
/// order, and sets `computed`. Returns nothing in two cases:
/// 1. A wgmma reads other data that the next iteration may change.
/// 2. A slot is released before a wait, conditionally, or in another block.
std::optional<llvm::SmallVector<RingReleaseOp>>
findReleases(LoopCarriedAccumulators &accs);

/// Whether the threads of the loop themselves issue the copies that `wait`
/// waits for.
bool isFilledByThreads(RingWaitOp wait);

/// Returns the only acquire of the ring of `wait` in `loop`. Returns null if
/// there are several, or if it or its copies are not in the loop body itself.
RingAcquireOp findFill(RingWaitOp wait, mlir::scf::ForOp loop);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_LOOPCARRIEDACCUMULATORS_H
