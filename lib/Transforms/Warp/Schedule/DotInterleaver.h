// Writes a loop so that its products run under the work on each other's sums.

#pragma once

#include "dialect/Warp/WarpOps.h"

#include "mlir/Dialect/SCF/IR/SCF.h"

namespace tilewright::warp {

/// The slot of a ring in `loop` that `operand` of a product is read from; null
/// where it is not.
RingWaitOp getSlot(mlir::Value operand, mlir::scf::ForOp loop);

/// Whether `value` is what the loop carries, untouched: the sum that a product
/// of this iteration adds to, and that nothing else in it needs.
bool isCarriedOnly(mlir::Value value);

/// Writes `loop` anew. `lasts`: whether there are registers for products to run
/// into the next iteration. Gives whether some do.
bool interleaveDots(mlir::scf::ForOp loop, bool lasts);

} // namespace tilewright::warp
