// Pointers and plain access to global memory.

include "dialect/Tile/TileBase.td"

def Tile_AddPtrOp : Tile_Op<"addptr", [
    Pure, Elementwise, SameOperandsAndResultShape,
    AllTypesMatch<["ptr", "result"]>]> {
  let summary = "moves pointers by offsets counted in elements";
  let description = [{
    The offset is signed and multiplied by the size of the pointee. With a
    promise (`tile.divisibility`, ...) the op is not folded at offset zero: it
    carries the promise.

    C1: pointer and offset have the same shape.

    ```mlir
    %q = tile.addptr %p, %i : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    ```
  }];
  let arguments = (ins Tile_AnyPtr:$ptr, Tile_AnyInt:$offset);
  let results = (outs Tile_AnyPtr:$result);
  let assemblyFormat = "$ptr `,` $offset attr-dict `:` type($ptr) `,` type($offset)";
  let hasFolder = 1;
}

def Tile_LoadOp : Tile_Op<"load", [
    InferTypeOpAdaptor, AttrSizedOperandSegments,
    MaskOf<"LoadOp">,
    PointeeOf<"other", "!::llvm::cast<LoadOp>(&$_op).getOther() || std::equal_to<>()">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "loads elements by pointers";
  let description = [{
    Where `mask` is false nothing is read and the result is `other`, or zero
    without it. `cache` and `eviction` are hints and change no value. A
    `volatile` load is neither removed nor merged.

    C1: `mask` is a boolean of the pointers' shape.
    C2: `other` has the pointers' shape and the pointee's type.
    C3: `other` comes with a mask.

    ```mlir
    %x = tile.load %p, %m, %zero evict = evict_first : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins
    Tile_AnyPtr:$ptr, Optional<Tile_AnyBool>:$mask, Optional<Tile_Any>:$other,
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::Normal">:$eviction,
    UnitAttr:$isVolatile);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $ptr (`,` $mask^)? (`,` $other^)?
    oilist(`cache` `=` $cache | `evict` `=` $eviction | `volatile` $isVolatile)
    attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
  let hasCanonicalizer = 1;
  let extraClassDeclaration = [{
    /// Whether masked-off elements are zero, as in asynchronous copies.
    bool fillsWithZero();
  }];
}

def Tile_StoreOp : Tile_Op<"store", [
    PointeeOf<"value">, MaskOf<"StoreOp">,
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "stores elements by pointers";
  let description = [{
    Where `mask` is false nothing is written. If two elements of one store have
    the same address, one of them is stored.

    C1: `value` has the pointers' shape and the pointee's type.
    C2: `mask` is a boolean of the pointers' shape.

    ```mlir
    tile.store %p, %x, %m : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins
    Tile_AnyPtr:$ptr, Tile_Any:$value, Optional<Tile_AnyBool>:$mask,
    DefaultValuedAttr<Tile_CacheModifier, "CacheModifier::None">:$cache,
    DefaultValuedAttr<Tile_EvictionPolicy, "EvictionPolicy::Normal">:$eviction);
  let assemblyFormat = [{
    $ptr `,` $value (`,` $mask^)?
    oilist(`cache` `=` $cache | `evict` `=` $eviction) attr-dict `:` type($ptr)
  }];
  let hasCanonicalizer = 1;
}
