// User assembly.

include "dialect/Tile/TileBase.td"

def Tile_InlineAsmOp : Tile_Op<"inline_asm", [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "runs assembly on groups of elements of tiles";
  let description = [{
    The text is in the target's assembly, PTX, and runs once per group of `pack`
    elements; the grouping is unspecified. In the text, `$0`, `$1`, ... are
    registers: first those of the results, then those of the operands.
    `constraints` names the kind of each. Elements narrower than 32 bits share
    registers: a group takes the bits of its elements, the first lowest. Wider
    elements have a register each.

    `constraints` is a comma-separated list of one letter per register: `h` (16
    bits), `r` and `f` (32 bits), `l` and `d` (64 bits). Those of results have
    the prefix `=` or `=&`. An operand may instead name a result's register by
    its number. `~{memory}` may be the last entry.

    Text that is not `pure` has side effects, and runs once per copy of an
    element that the threads hold.

    C1: operands and results have one shape; there is a result; elements are
        numbers of 8 bits or more, operands also pointers.
    C2: `pack` is a power of two up to 32.
    C3: `constraints` has the registers of the operands and results.
    C4: each `$` in the text is followed by a register number, in braces or not,
        or by another `$`.

    ```mlir
    %y = tile.inline_asm "max.f32 $0, $1, 0f00000000;" "=f,f" pack = 1 pure %x
      : (tensor<128xf32>) -> tensor<128xf32>
    ```
  }];
  let arguments = (ins StrAttr:$text, StrAttr:$constraints, I32Attr:$pack, UnitAttr:$pure,
    Variadic<Tile_Any>:$operands);
  let results = (outs Variadic<Tile_Any>:$results);
  let assemblyFormat = [{
    $text $constraints `pack` `=` $pack (`pure` $pure^)? ($operands^)? attr-dict
    `:` functional-type($operands, $results)
  }];
  let hasVerifier = 1;
}
