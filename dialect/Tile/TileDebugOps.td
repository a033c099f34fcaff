// Run-time messages and checks.

include "dialect/Tile/TileBase.td"

def Tile_AssertOp : Tile_Op<"assert", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "ends the launch if a condition is false";
  let description = [{
    The launch ends with an error that carries the message.

    ```mlir
    tile.assert %ok, "index out of range" : tensor<128xi1>
    ```
  }];
  let arguments = (ins Tile_AnyBool:$condition, StrAttr:$message);
  let assemblyFormat = "$condition `,` $message attr-dict `:` type($condition)";
  let hasCanonicalizer = 1;
}

def Tile_PrintOp : Tile_Op<"print", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "prints values to the standard output";
  let description = [{
    Prints one line per element: program, index, prefix and value. `isSigned`
    has one flag per operand: whether integers are read as signed.

    If the operands are a part of a larger tile, `origin` is the index of the
    first element. `extent` is the number of valid elements along each
    dimension; padding is not printed.

    C1: `isSigned` has one entry per operand.
    C2: `origin` and `extent` occur together. The operands are tiles with as
        many dimensions, none shorter than `extent`.

    ```mlir
    tile.print "x = ", %x {isSigned = array<i1: true>} : tensor<128xi32>
    ```
  }];
  let arguments = (ins StrAttr:$prefix, Variadic<Tile_Any>:$values,
    DefaultValuedAttr<BoolAttr, "false">:$hex, DenseBoolArrayAttr:$isSigned,
    OptionalAttr<DenseI64ArrayAttr>:$origin, OptionalAttr<DenseI64ArrayAttr>:$extent);
  let assemblyFormat = "$prefix (`,` $values^)? attr-dict (`:` type($values)^)?";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    ::llvm::LogicalResult verifyPart();
  }];
}
