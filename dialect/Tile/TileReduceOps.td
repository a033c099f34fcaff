// Ops with an elementwise function as a region.

include "dialect/Tile/TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    InferTypeOpAdaptor, RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "reduces a dimension by a combine region";
  let description = [{
    The region takes two values per operand, first all of the left then all of
    the right, and yields one per operand. The grouping is unspecified, so it
    must be associative up to rounding. Elements further along the axis are
    always on the right. With `commutes` the order is unspecified, too. Reducing
    a rank-1 tile returns a scalar.

    C1: all operands have the same shape, of rank 1 or more.
    C2: `0 <= axis < rank`.
    C3: the region's arguments are the element types, twice.
    C4: the region yields the element types and has no side effects; it may
        branch and loop.

    ```mlir
    %sum = "tile.reduce"(%x) <{axis = 1 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }) : (tensor<32x64xf32>) -> tensor<32xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis, UnitAttr:$commutes);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Tile_ScanOp : Tile_Op<"scan", [RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "combines each element with all previous ones along a dimension";
  let description = [{
    The region is that of `tile.reduce`. Element `i` of the result is the
    reduction of the elements `0` to `i` along `axis`, in this order. With
    `reverse` it is that of the elements from the last to `i`. The grouping is
    unspecified, so the region must be associative up to rounding.

    C1: operands and results are tiles of one shape, of rank 1 or more; the
        results have the operands' types.
    C2: `0 <= axis < rank`.
    C3: the region's arguments are the element types, twice.
    C4: the region yields the element types and has no side effects; it may
        branch and loop.

    ```mlir
    %sums = "tile.scan"(%x) <{axis = 0 : i32}> ({
    ^bb0(%a: f32, %b: f32):
      %s = arith.addf %a, %b : f32
      tile.yield %s : f32
    }) : (tensor<32x64xf32>) -> tensor<32x64xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Tile>:$operands, I32Attr:$axis, UnitAttr:$reverse);
  let results = (outs Variadic<Tile_Tile>:$results);
  let regions = (region SizedRegion<1>:$combine);
  let hasRegionVerifier = 1;
  let hasVerifier = 1;
}

def Tile_MapOp : Tile_Op<"map", [RecursiveMemoryEffects, SingleBlock]> {
  let summary = "applies an elementwise function with control flow";
  let description = [{
    The region takes `pack` elements of each operand and yields `pack` elements
    of each result, those of the first operand before those of the second. The
    grouping is unspecified, and so is the number of times that the region is
    applied to a group. So element `i` of the results must depend on elements
    `i` only.

    C1: operands and results have one shape; there are an operand and a result.
    C2: `pack` is a power of two up to 32.
    C3: the region's arguments are the operands' element types, each `pack`
        times.
    C4: the region yields the results' element types, each `pack` times.
    C5: the region works on scalars and has no side effects.

    ```mlir
    %y = "tile.map"(%x) <{pack = 1 : i32}> ({
    ^bb0(%a: f32):
      %isPositive = arith.cmpf ogt, %a, %zero : f32
      %r = scf.if %isPositive -> f32 {
        scf.yield %a : f32
      } else {
        %e = math.expm1 %a : f32
        scf.yield %e : f32
      }
      tile.yield %r : f32
    }) : (tensor<128xf32>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins Variadic<Tile_Any>:$operands, I32Attr:$pack);
  let results = (outs Variadic<Tile_Any>:$results);
  let regions = (region SizedRegion<1>:$function);
  let hasVerifier = 1;
  let hasRegionVerifier = 1;
}

def Tile_YieldOp : Tile_Op<"yield", [Pure, ParentOneOf<["ReduceOp", "ScanOp", "MapOp"]>, ReturnLike, Terminator]> {
  let summary = "ends a region of tile.reduce, tile.scan or tile.map";
  let description = [{
    ```mlir
    tile.yield %s : f32
    ```
  }];
  let arguments = (ins Variadic<Tile_Element>:$results);
  let assemblyFormat = "attr-dict ($results^ `:` type($results))?";
}
