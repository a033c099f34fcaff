// Passes from `tile` to `tile`. Passes.td describes each.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES_H

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tile {

#define GEN_PASS_DECL
#include "lib/Transforms/Tile/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Transforms/Tile/Passes.h.inc"

} // namespace tilewright::tile

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILE_PASSES_H
