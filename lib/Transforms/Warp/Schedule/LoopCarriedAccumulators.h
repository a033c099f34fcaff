// Sums of products that a loop carries, whose wait can move to the next
// iteration.

#pragma once

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "llvm/ADT/SetVector.h"

#include <optional>

namespace tilewright::warp {

/// Products that add to sums in each iteration of a loop.
struct LoopCarriedAccumulators {
  mlir::scf::ForOp loop;
  /// One for each sum.
  llvm::SmallVector<WgmmaWaitOp> waits;
  /// Of the values that the loop carries, the numbers of the sums.
  llvm::SmallVector<unsigned> indices;
  /// The products of one iteration.
  unsigned numDots = 0;
  /// What stores or computes operands that threads make in each iteration.
  llvm::SmallSetVector<mlir::Operation *, 2> made;
};

/// The sums of `loop`, if all products in it add to them and nothing else needs
/// them before the next iteration.
std::optional<LoopCarriedAccumulators>
findLoopCarriedAccumulators(mlir::scf::ForOp loop);

/// Where the slots are given back that the products of the loop read, in order,
/// if that is behind a wait; sets `made`. Nothing if the products read anything
/// else that the next iteration may change.
std::optional<llvm::SmallVector<RingReleaseOp>>
findReleases(LoopCarriedAccumulators &sums);

/// Whether the threads of the loop copy what they wait for.
bool isFilledByThreads(RingWaitOp wait);

/// The only slot of the ring of `wait` that `loop` fills, null if there are
/// several, or its copies stand elsewhere.
RingAcquireOp findFill(RingWaitOp wait, mlir::scf::ForOp loop);

} // namespace tilewright::warp
