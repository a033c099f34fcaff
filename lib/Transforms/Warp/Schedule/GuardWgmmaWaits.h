// Loops of explicit kernels that leave wgmmas in flight.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_GUARDWGMMAWAITS_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_GUARDWGMMAWAITS_H

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::warp {

/// Puts each loop of an explicit kernel that leaves wgmmas in flight into a
/// branch, together with the wait that follows it.
void guardExplicitWaits(mlir::ModuleOp module);

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_GUARDWGMMAWAITS_H
