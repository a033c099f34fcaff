// Descriptors: arrays in global memory that are copied in blocks.

include "dialect/Tile/TileBase.td"

def Tile_MakeDescriptorOp : Tile_Op<"make_descriptor", [Pure, AttrSizedOperandSegments]> {
  let summary = "describes an array in global memory";
  let description = [{
    Element (i, j, ...) of the array is `i * strides[0] + j * strides[1] + ...`
    elements after `base`, for 0 <= i < shape[0], 0 <= j < shape[1], ...; other
    indices are out of bounds. The last stride is 1 and is omitted.

    C1: there is one size per dimension of the descriptor, and one stride per
        dimension but the last.
    C2: `base` points to the descriptor's element type; booleans are stored as
        i8.
    C3: padding with NaN is for floats.
    C4: with `aligned`, base and strides that come from memory are multiples of
        16 bytes. (A promise; a kernel that relies on it traps if it is broken.)

    ```mlir
    %d = tile.make_descriptor %base, [%m, %k], [%stride] : !tile.desc<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
                       DefaultValuedAttr<Tile_Padding, "Padding::Zero">:$padding,
                       UnitAttr:$aligned);
  let results = (outs Tile_Desc:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` (`padding` `=` $padding^)? attr-dict
    `:` qualified(type($result)) `,` qualified(type($base))
  }];
  let hasVerifier = 1;
}

class Tile_BlockOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, traits # [DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let hasVerifier = 1;
}

def Tile_DescriptorLoadOp : Tile_BlockOp<"descriptor_load"> {
  let summary = "reads a block of an array";
  let description = [{
    Reads the block that starts at `offsets`. Elements out of bounds are the
    descriptor's padding.

    C1: there is one offset per dimension.
    C2: the result is a block of the descriptor.

    ```mlir
    %a = tile.descriptor_load %d[%i, %j] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_Desc:$desc, Variadic<I32>:$offsets);
  let results = (outs Tile_Tile:$result);
  let assemblyFormat = [{
    $desc `[` $offsets `]` attr-dict `:` qualified(type($desc)) `->` type($result)
  }];
}

def Tile_DescriptorStoreOp : Tile_BlockOp<"descriptor_store"> {
  let summary = "writes a block of an array, or reduces into it";
  let description = [{
    Writes the block that starts at `offsets`. Elements out of bounds are not
    written. With a `reduction` each element is combined with the one in memory
    atomically, with relaxed semantics and device scope.

    C1: there is one offset per dimension.
    C2: the value is a block of the descriptor.
    C3: a reduction supports the elements of `tile.atomic_rmw`, and is not
        `xchg`.

    ```mlir
    tile.descriptor_store %d[%i, %j], %a : !tile.desc<128x64xf16>, tensor<128x64xf16>
    tile.descriptor_store %d[%i, %j], %a reduce fadd : !tile.desc<128x64xf16>, tensor<128x64xf16>
    ```
  }];
  let arguments = (ins Tile_Desc:$desc, Variadic<I32>:$offsets, Tile_Tile:$value,
                       OptionalAttr<Tile_AtomicKind>:$reduction);
  let builders = [OpBuilder<(ins "::mlir::Value":$desc, "::mlir::ValueRange":$offsets,
                                 "::mlir::Value":$value), [{
    build($_builder, $_state, desc, offsets, value, ::tilewright::tile::AtomicKindAttr());
  }]>];
  let assemblyFormat = [{
    $desc `[` $offsets `]` `,` $value (`reduce` $reduction^)? attr-dict
    `:` qualified(type($desc)) `,` type($value)
  }];
}
