// Loops of explicit kernels that leave products running.

#pragma once

#include "mlir/IR/BuiltinOps.h"

namespace tilewright::warp {

/// Puts each loop of an explicit kernel that leaves products running into a
/// branch, with the wait for them behind it.
void guardExplicitWaits(mlir::ModuleOp module);

} // namespace tilewright::warp
