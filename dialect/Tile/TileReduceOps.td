// Combining the elements along a dimension.

include "dialect/Tile/TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    InferTypeOpAdaptor, RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "folds a dimension away with a combine region";
  let description = [{
    The region takes two values for each operand, first all of the left then
    all of the right, and yields one for each. It is applied in an order that is
    not fixed, so it must be associative and commutative up to rounding. Reducing a rank-1
    tile gives a scalar.

    C1: all operands have the same shape, of rank 1 or more.
    C2: `0 <= axis < rank`.
    C3: the region's arguments are the element types, twice.
    C4: the region yields the element types and has no side effects.

    ```mlir
    %sum = "tile.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }) : (tensor<32x64xf32>) -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, HasParent<"ReduceOp">, ReturnLike, Terminator]> {
  let summary = "ends a combine region";
  let description = [{
    ```mlir
    tile.yield %s : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
