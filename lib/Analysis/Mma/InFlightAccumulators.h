// Sums of `warp.wgmma` that may still be running where something uses them.

#pragma once

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Whether `value` may be the sum of a product that was started and not waited
/// for.
bool isInFlightAccumulator(mlir::Value value);

/// The use by which something other than a product, a wait or control flow
/// touches the sum of a product in `func` that was started and not waited for;
/// null if there is none.
mlir::OpOperand *findUseOfInFlightAccumulator(mlir::Operation *func);

} // namespace tilewright
