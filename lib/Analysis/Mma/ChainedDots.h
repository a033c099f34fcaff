// Products that wait for what threads compute from the sums of others, as the
// second one of attention does.

#ifndef TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H
#define TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// Whether `function`, whose tiles have layouts, has a product of tensor cores
/// whose left operand is held in registers and computed from the sum of another
/// one in the same block. Other programs on the multiprocessor then hide more
/// than copies that run further ahead.
bool hasChainedDots(mlir::Operation *function);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_MMA_CHAINEDDOTS_H
