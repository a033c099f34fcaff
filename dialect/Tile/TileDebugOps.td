// Messages and checks while a kernel runs.

include "dialect/Tile/TileBase.td"

def Tile_AssertOp : Tile_Op<"assert", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "stops the launch where a condition is false";
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
  let summary = "writes values to the standard output";
  let description = [{
    One line an element: program, index, prefix and value. `isSigned` says, one
    flag an operand, whether integers are read as signed.

    Of a piece of a larger block `origin` is the index of the first element, and
    `extent` says how many along each side are elements; others are not printed.

    C1: `isSigned` has one entry for each operand.
    C2: `origin` and `extent` come together; the operands are tiles with that many
        sides, none shorter than `extent`.

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
