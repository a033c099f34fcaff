// Products of tiles.

include "dialect/Tile/TileBase.td"

def Tile_DotOp : Tile_Op<"dot", [Pure, AllTypesMatch<["acc", "result"]>]> {
  let summary = "matrix product added to an accumulator";
  let description = [{
    `result = acc + a . b`; of tiles of rank 3 a product for each index of the
    first dimension. Products of 16-bit and narrower floats are summed at
    least in the accumulator's type. `precision` says how f32 operands are
    multiplied: `ieee` exactly rounded each, `tf32` with ten bits of mantissa,
    `tf32x3` in three tf32 products.

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
