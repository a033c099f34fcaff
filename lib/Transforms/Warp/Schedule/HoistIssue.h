// Starts what an iteration computes with as early in it as its operands allow.

#pragma once

#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/PatternMatch.h"

namespace tilewright::warp {

/// Starts products of `loop` that need nothing that threads compute behind the
/// first one. Slots are waited for in the same order, and none is given back in
/// between.
void hoistDots(mlir::scf::ForOp loop, mlir::RewriterBase &b);

/// Starts loads of `loop` that need nothing of the products before these.
void raiseLoads(mlir::scf::ForOp loop, mlir::RewriterBase &b);

} // namespace tilewright::warp
