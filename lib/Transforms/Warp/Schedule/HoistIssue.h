// Issues wgmmas and loads as early in an iteration as their operands allow.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_HOISTISSUE_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_HOISTISSUE_H

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::warp {

/// Moves each wgmma of `loop` that does not depend on the threads' computation
/// to just after the first one. Ring waits keep their order. A wgmma does not
/// move past a ring release.
void hoistDots(mlir::scf::ForOp loop, mlir::RewriterBase &b);

/// Moves loads of `loop` that do not depend on wgmma to the top of the
/// iteration.
void hoistLoads(mlir::scf::ForOp loop, mlir::RewriterBase &b);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_HOISTISSUE_H
