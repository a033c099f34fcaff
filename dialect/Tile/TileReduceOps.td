// Functions of single elements, given as regions.

include "dialect/Tile/TileBase.td"
include "mlir/Interfaces/ControlFlowInterfaces.td"

def Tile_ReduceOp : Tile_Op<"reduce", [
    InferTypeOpAdaptor, RecursiveMemoryEffects, SingleBlock, SameVariadicOperandSize]> {
  let summary = "folds a dimension away with a combine region";
  let description = [{
    The region takes two values for each operand, first all of the left then
    all of the right, and yields one for each. Which neighbours are combined first
    is not fixed, so it must be associative up to rounding; what stands further along
    the axis is always on the right. With `commutes` the order is not fixed
    either. Reducing a rank-1 tile gives a scalar.

    C1: all operands have the same shape, of rank 1 or more.
    C2: `0 <= axis < rank`.
    C3: the region's arguments are the element types, twice.
    C4: the region yields the element types and has no side effects; it may branch
    and loop.

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
  let summary = "combines each element with all before it along a dimension";
  let description = [{
    The region is one as of `tile.reduce`. Element `i` of the result is what
    folding the elements `0` to `i` along `axis`, in this order, gives; with
    `reverse` the elements from the last to `i`. Which neighbours are combined
    first is not fixed, so the region must be associative up to rounding.

    C1: operands and results are tiles of one shape, of rank 1 or more, the
    results of the operands' types.
    C2: `0 <= axis < rank`.
    C3: the region's arguments are the element types, twice.
    C4: the region yields the element types and has no side effects; it may branch
    and loop.

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
  let summary = "applies a function of single elements, with control flow of its own";
  let description = [{
    The region takes `pack` elements of each operand and yields `pack` elements
    of each result, those of the first operand before those of the second. Which
    elements stand together in a group is not fixed, nor how often the region is
    applied to one, so that element `i` of what it yields must follow from the
    elements `i` alone.

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
