// Ops that select elements by index, or count values.

include "dialect/Tile/TileBase.td"

def Tile_GatherOp : Tile_Op<"gather", [Pure, InferTypeOpAdaptor]> {
  let summary = "selects elements along a dimension by index";
  let description = [{
    The result has the shape of `indices`. Each element is the one of `source`
    at the same index, with the index along `axis` replaced by the element of
    `indices`: `result[i, j] = source[indices[i, j], j]` for axis 0.

    An index that is negative or not less than the size selects an unspecified
    element; nothing outside of the tile is read.

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

def Tile_HistogramOp : Tile_Op<"histogram", [Pure,
    TypesMatchWith<"mask is a boolean of the source's shape", "source", "mask",
                   "::tilewright::tile::getBoolTypeLike($_self)",
                   "!::llvm::cast<HistogramOp>(&$_op).getMask() || std::equal_to<>()">]> {
  let summary = "counts how often each number occurs";
  let description = [{
    Element `i` of the result is the number of elements of `source` that are `i`
    and whose `mask` is true. Elements that are negative or not less than the
    size of the result are not counted.

    C1: `mask` is a boolean of the source's shape.
    C2: the result has rank 1.

    ```mlir
    %h = tile.histogram %x, %m : tensor<1024xi32> -> tensor<256xi32>
    ```
  }];
  let arguments = (ins StaticShapeTensorOf<[I32]>:$source, Optional<Tile_BoolTile>:$mask);
  let results = (outs StaticShapeTensorOf<[I32]>:$result);
  let assemblyFormat = "$source (`,` $mask^)? attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
}
