// Loops of explicit kernels that leave wgmmas in flight.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::warp {

/// Puts each loop of an explicit kernel that leaves wgmmas in flight into a
/// branch, together with the wait that follows it.
void guardExplicitWaits(mlir::ModuleOp module);

} // namespace tilewright::warp
