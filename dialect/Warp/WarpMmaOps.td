// Tensor cores.

include "dialect/Warp/WarpBase.td"

def Warp_MmaOp : Warp_Op<"mma", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix multiplication by the tensor cores of each warp";
  let description = [{
    `result = acc + a . b` by `mma.sync` instructions (sm_80 and later). Tiles
    of rank 3 are multiplied for each index of the first dimension. The
    instruction follows from the element types:

    | a, b | acc | instruction | least target |
    |---|---|---|---|
    | f16 | f32 or f16 | m16n8k16 | sm_80 |
    | bf16 | f32 | m16n8k16 | sm_80 |
    | f32, read as tf32 | f32 | m16n8k8 | sm_80 |
    | i8, signed | i32 | m16n8k32 | sm_80 |
    | f8E4M3FN, f8E5M2, mixed or not | f32 | m16n8k32 | sm_89 |

    f32 operands are rounded to tf32, to the nearest and ties away from zero.

    C1: `a` is MxK, `b` KxN and `acc` MxN, or all have one more leading
        dimension of the same size.
    C2: the element types are in one row of the table.
    C3: the lowest registers and the lanes of each layout match the operands of
        the instruction. Every warp holds the parts of `a` and `b` that its part
        of `acc` needs, and warps that share a part hold copies.

    ```mlir
    %d = warp.mma %a, %b, %c
      : tensor<64x32xf16, #a>, tensor<32x64xf16, #b>, tensor<64x64xf32, #c>
    ```
  }];
  let arguments = (ins Warp_Tile:$a, Warp_Tile:$b, Warp_Tile:$acc);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc attr-dict `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
}
