// Passes from `warp` to `warp`. Passes.td describes each.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES_H
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES_H

#include "dialect/Tile/TileDialect.h"
#include "dialect/Warp/WarpDialect.h"
#include "lib/Analysis/Target/Occupancy.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/Dialect/SCF/IR/SCF.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Interfaces/FunctionInterfaces.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::warp {

#define GEN_PASS_DECL
#include "lib/Transforms/Warp/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Warp/Passes.h.inc"

} // namespace tilewright::warp

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES_H
