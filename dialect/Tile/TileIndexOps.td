// Ops that choose elements, or places for them, by index.

include "dialect/Tile/TileBase.td"

def Tile_GatherOp : Tile_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "picks elements along a dimension by their indices";
  let description = [{
    The result has the shape of `indices`. Its element at a place is the one of
    `source` at that place with the index along `axis` replaced by what
    `indices` holds there: `result[i, j] = source[indices[i, j], j]` for axis 0.

    An index that is negative or not less than the size picks an element that is
    not specified; nothing outside of the tile is read.

    C1: `0 <= axis < rank of source`.
    C2: `source` and `indices` have the same rank, and the same size in each
        dimension but `axis`.

    ```mlir
    %r = tile.gather %x[%i] {axis = 0 : i32} : tensor<64x32xf32>, tensor<8x32xi32>   // tensor<8x32xf32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, StaticShapeTensorOf<[I32]>:$indices, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $source `[` $indices `]` attr-dict
    `:` type($source) `,` type($indices) `->` type($result)
  }];
  let hasFolder = 1;
}
