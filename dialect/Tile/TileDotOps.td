// Dots of tiles.

include "dialect/Tile/TileBase.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix multiplication added to an accumulator";
  let description = [{
    `result = acc + a . b`. Tiles of rank 3 are multiplied for each index of the
    first dimension. Dots of 16-bit and narrower floats are accumulated at least
    in the accumulator's type. `precision` selects the arithmetic of f32
    operands: `ieee` rounds each multiplication exactly, `tf32` uses ten
    mantissa bits, `tf32x3` three tf32 dots.

    C1: `a` is MxK, `b` KxN and `acc` MxN; or `a` is BxMxK, `b` BxKxN and `acc`
        BxMxN.
    C2: `a` and `b` have the same element type; 8-bit floats may be mixed.
    C3: accumulators are i32 for i8 operands, f32 or f16 for 16-bit and 8-bit
        floats, otherwise of the operands' type.
    C4: a precision other than `ieee` is for f32 operands.

    ```mlir
    %d = tile.dot %a, %b, %c : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %e = tile.dot %f, %g, %h : tensor<4x16x8xf32>, tensor<4x8x16xf32>, tensor<4x16x16xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$a, Tile_Tile:$b, Tile_Tile:$acc,
    DefaultValuedAttr<Tile_DotPrecision, "DotPrecision::IEEE">:$precision);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $a `,` $b `,` $acc (`precision` `=` $precision^)? attr-dict
    `:` type($a) `,` type($b) `,` type($acc)
  }];
  let hasVerifier = 1;
  let hasFolder = 1;
}
