// A counted loop as branches, right up to the ends of its counter's type.
//
// The step behind the last iteration may lead out of the type of the counter:
// so what is asked is not whether the next count is below the end, but whether
// this one is below the end less a step.

#pragma once

namespace mlir {
class RewritePatternSet;
} // namespace mlir

namespace tilewright {

/// The loops that are converted so: those by steps that are not 1, or by steps
/// that are no constants.
enum class CheckedSteps { AllButOne, NotConstant };

/// Goes before the pattern of SCFToControlFlow, which takes the other loops.
void populateLoopToBranches(mlir::RewritePatternSet &patterns,
                            CheckedSteps checked);

} // namespace tilewright
