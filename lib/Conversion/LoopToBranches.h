// Structured control flow as branches; a counted loop right up to the ends of
// its counter's type.
//
// The step behind the last iteration may lead out of the type of the counter:
// so what is asked is not whether the next count is below the end, but whether
// this one is below the end less a step.

#ifndef TILEWRIGHT_LIB_CONVERSION_LOOPTOBRANCHES_H
#define TILEWRIGHT_LIB_CONVERSION_LOOPTOBRANCHES_H

#include "mlir/IR/Operation.h"

namespace tilewright {

/// The loops that are converted so: those by steps that are not 1, or by steps
/// that are no constants.
enum class CheckedSteps { AllButOne, NotConstant };

/// Replaces the ops of `scf` in `root` by branches. Failure comes with
/// diagnostics. Only their own ops are looked at: a dialect conversion would
/// ask of each op whether it is legal, and note each that changes its block.
mlir::LogicalResult lowerToBranches(mlir::Operation *root,
                                    CheckedSteps checked);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_CONVERSION_LOOPTOBRANCHES_H
