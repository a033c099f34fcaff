// Pointer casts, which `arith` does not have.

include "dialect/Tile/TileBase.td"

class Tile_CastOp<string mnemonic, list<Trait> traits = []> : Tile_Op<mnemonic, !listconcat([
    Pure, Elementwise, SameOperandsAndResultShape], traits)> {
  let assemblyFormat = "$source attr-dict `:` type($source) `->` type($result)";
  let hasFolder = 1;
}

def Tile_I64Like : AnyTypeOf<[I64, StaticShapeTensorOf<[I64]>], "i64 or a tile of i64">;

def Tile_IntToPtrOp : Tile_CastOp<"int_to_ptr"> {
  let summary = "reads 64-bit integers as addresses";
  let description = [{
    ```mlir
    %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
    ```
  }];
  let arguments = (ins Tile_I64Like:$source);
  let results = (outs Tile_AnyPtr:$result);
}

def Tile_PtrToIntOp : Tile_CastOp<"ptr_to_int"> {
  let summary = "reads addresses as 64-bit integers";
  let description = [{
    ```mlir
    %i = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
    ```
  }];
  let arguments = (ins Tile_AnyPtr:$source);
  let results = (outs Tile_I64Like:$result);
}

def Tile_BitcastOp : Tile_CastOp<"bitcast"> {
  let summary = "changes the pointee type of pointers";
  let description = [{
    ```mlir
    %q = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Tile_AnyPtr:$source);
  let results = (outs Tile_AnyPtr:$result);
}
