// Ops that move a tile between threads.

include "dialect/Warp/WarpBase.td"

def Warp_ConvertLayoutOp : Warp_Op<"convert_layout", [
    Pure, SameOperandsAndResultShape, SameOperandsAndResultElementType]> {
  let summary = "the same tile in another layout";
  let description = [{
    Every thread gets the elements of the result's layout. The lowering compares
    the two layouts and chooses the cheapest method: nothing, a permutation of
    registers, shuffles inside a warp, or a round trip through shared memory.

    C1: source and result have a `#warp.linear` layout with the same number of
        warps.

    ```mlir
    %1 = warp.convert_layout %0 : tensor<64x64xf32, #a> -> tensor<64x64xf32, #b>
    ```
  }];
  let arguments = (ins Warp_Tile:$source);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizer = 1;
}
