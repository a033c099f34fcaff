// Finds dots whose operand threads compute from the accumulator of another dot,
// as the second one of attention.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Whether some mma or wgmma of `function` has operand A in registers, computed
/// from the accumulator of another one in the same block. Tiles must have
/// layouts. Higher occupancy then hides more latency than a deeper pipeline.
bool hasChainedDots(mlir::Operation *function);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H
