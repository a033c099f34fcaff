// Distributes tiles over warps. Passes.td describes the pass.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES_H
#define TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES_H

#include "dialect/Warp/WarpDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::warp {

#define GEN_PASS_DECL
#include "lib/Conversion/TileToWarp/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Conversion/TileToWarp/Passes.h.inc"

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES_H
