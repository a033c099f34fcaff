// Ops that create tiles or change their shape without changing an element.

include "dialect/Tile/TileBase.td"

class Tile_InferredOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([Pure, InferTypeOpAdaptor], traits)>;

def Tile_RangeOp : Tile_Op<"range", [Pure]> {
  let summary = "the integers from start to end";
  let description = [{
    Element `i` is `start + i`.

    C1: `start < end`.
    C2: the result is a rank-1 tile of `end - start` elements of type i32.

    ```mlir
    %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
    ```
  }];
  let arguments = (ins I32Attr:$start, I32Attr:$end);
  let results = (outs StaticShapeTensorOf<[I32]>:$result);
  let assemblyFormat = "attr-dict `:` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_SplatOp : Tile_Op<"splat", [Pure, AllElementTypesMatch<["source", "result"]>]> {
  let summary = "a tile of one repeated value";
  let description = [{
    ```mlir
    %t = tile.splat %x : f32 -> tensor<64x32xf32>
    ```
  }];
  let arguments = (ins Tile_Element:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_ExpandDimsOp : Tile_InferredOp<"expand_dims"> {
  let summary = "inserts a dimension of size 1";
  let description = [{
    The new dimension is at index `axis` of the result.

    C1: `0 <= axis <= rank of source`.

    ```mlir
    %c = tile.expand_dims %r {axis = 1 : i32} : tensor<128xi32>   // tensor<128x1xi32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, I32Attr:$axis);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_BroadcastOp : Tile_Op<"broadcast", [Pure, AllElementTypesMatch<["source", "result"]>]> {
  let summary = "repeats a tile along its dimensions of size 1";
  let description = [{
    C1: source and result have the same rank.
    C2: each source dimension is 1 or that of the result.

    ```mlir
    %b = tile.broadcast %c : tensor<128x1xi32> -> tensor<128x64xi32>
    ```
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
}

def Tile_ReshapeOp : Tile_Op<"reshape", [Pure, AllElementTypesMatch<["source", "result"]>]> {
  let summary = "the same elements in row-major order under another shape";
  let description = [{
    C1: source and result have the same number of elements.

    ```mlir
    %m = tile.reshape %v : tensor<2048xf32> -> tensor<32x64xf32>
    ```

    A reshape that only adds dimensions of size 1 becomes `tile.expand_dims`,
    which states the position of each source dimension.
  }];
  let arguments = (ins Tile_Tile:$source);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasVerifier = 1;
  let hasFolder = 1;
  let hasCanonicalizeMethod = 1;
}

def Tile_TransposeOp : Tile_InferredOp<"transpose"> {
  let summary = "permutes the dimensions of a tile";
  let description = [{
    Dimension `i` of the result is dimension `order[i]` of the source.

    C1: `order` is a permutation of the source's dimensions.

    ```mlir
    %t = tile.transpose %a {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    ```
  }];
  let arguments = (ins Tile_Tile:$source, DenseI32ArrayAttr:$order);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}
