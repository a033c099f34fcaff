// Passes from `tile` to `tile` for NVIDIA GPUs. Passes.td describes each.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES_H
#define TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES_H

#include "dialect/Warp/WarpDialect.h"

#include "mlir/Dialect/Arith/IR/Arith.h"
#include "mlir/IR/BuiltinOps.h"
#include "mlir/Pass/Pass.h"

namespace tilewright::tile_gpu {

#define GEN_PASS_DECL
#include "lib/Transforms/TileGpu/Passes.h.inc"
#define GEN_PASS_REGISTRATION
#include "lib/Transforms/TileGpu/Passes.h.inc"

} // namespace tilewright::tile_gpu

#endif // TILEWRIGHT_LIB_TRANSFORMS_TILEGPU_PASSES_H
