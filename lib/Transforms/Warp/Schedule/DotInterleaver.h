// Rewrites a loop so that each wgmma overlaps the threads' work on the results
// of the others.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_DOTINTERLEAVER_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_DOTINTERLEAVER_H

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// Returns the wait in `loop` for the ring slot that `operand` of a wgmma is
/// read from, or null.
RingWaitOp getSlot(mlir::Value operand, mlir::scf::ForOp loop);

/// Whether the only use of `value` is the yield: it becomes the accumulator of
/// the next iteration, and this one does not need it.
bool isCarriedOnly(mlir::Value value);

/// Rewrites `loop`. `mayDefer` says whether there are enough registers to keep
/// wgmmas in flight into the next iteration. Returns whether some are.
bool interleaveDots(mlir::scf::ForOp loop, bool mayDefer);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_DOTINTERLEAVER_H
