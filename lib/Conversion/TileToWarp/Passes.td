// The conversion from tiles without layouts to tiles that are spread over warps.

#ifndef TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES
#define TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES

include "lib/Analysis/Target/TargetOptions.td"

include "mlir/Pass/PassBase.td"

def ConvertTileToWarp : Pass<"convert-tile-to-warp", "::mlir::ModuleOp"> {
  let summary = "give every tile a layout over the threads of a program";
  let description = [{
    1. Each dot is brought into a form that tensor cores or threads compute.
    2. lib/Analysis/Layout/LayoutAssignment chooses a layout for every tile. Memory
       accesses and dots decide, everything else follows.
    3. Types get their `#warp.linear` encoding. Where a use demands another layout
       than the value has, cheap values are recomputed in that layout. Others go
       through `warp.convert_layout`, where the tile is smallest and outside of
       loops in which it does not change.
    4. Dots for tensor cores become `warp.mma` or `warp.wgmma`. Operands that a
       loop loads, and loads from which it computes operands, pass through a
       `warp.alloc`, so that `warp-pipeline-loops` can prefetch them.

    Input: kernels of `tile`, `arith`, `math` and `scf` that call nothing.
    Output: the same ops on tiles with layouts, and `warp` ops; each kernel
    carries `warp.num_warps`.

    ```mlir
    %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>

    #l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]],
                       warp = [[32], [64]], block = []}>
    %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
    ```

    Refused: blocks with a dimension that is not a power of two, which
    `tile-gpu-split-blocks` cuts before; blocks of more than 2048 elements per
    thread (1024 if they are loaded or computed in floats); calls that were not
    inlined; ops on tiles that have no rule.
  }];
  let options = targetOptions # [
    Option<"cutTf32", "cut-tf32", "bool", "false",
           "Have tensor cores cut off float32 operands in tf32">,
    Option<"numStages", "num-stages", "unsigned", "1",
           "Iterations in flight of loops that carry no hint">];
  let dependentDialects = [
    "::tilewright::warp::WarpDialect", "::mlir::arith::ArithDialect"];
}

#endif // TILEWRIGHT_LIB_CONVERSION_TILETOWARP_PASSES
