// Finds uses of accumulators of `warp.wgmma` that are still in flight.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_INFLIGHTACCUMULATORS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_INFLIGHTACCUMULATORS_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Whether `value` may be the accumulator of a wgmma that has not been waited
/// for.
bool isInFlightAccumulator(mlir::Value value);

/// The first use of an accumulator in flight in `func` that is neither a wgmma,
/// a wait nor control flow. Null if there is none.
mlir::OpOperand *findUseOfInFlightAccumulator(mlir::Operation *func);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_INFLIGHTACCUMULATORS_H
