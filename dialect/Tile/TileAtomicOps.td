// Read-modify-write on global memory.

include "dialect/Tile/TileBase.td"

class Tile_AtomicOp<string mnemonic, list<Trait> traits = []>
    : Tile_Op<mnemonic, !listconcat([InferTypeOpAdaptor,
        DeclareOpInterfaceMethods<MemoryEffectsOpInterface>], traits)>;

def Tile_AtomicRMWOp : Tile_AtomicOp<"atomic_rmw", [
    PointeeOf<"value">,
    MaskOf<"AtomicRMWOp">]> {
  let summary = "combines values with memory and returns the old values";
  let description = [{
    Each element is one atomic step; the order of elements and programs is
    unspecified. Where `mask` is false memory is unchanged and the result is
    zero.

    C1: `value` has the pointers' shape and the pointee's type.
    C2: `mask` is a boolean of the pointers' shape.
    C3: `fadd`, `fmax`, `fmin` take floats, `xchg` integers or floats, all other
        kinds integers.
    C4: the pointee is 32 or 64 bits wide; `fadd`, `fmax`, `fmin` also take f16
        and bf16.

    ```mlir
    %old = tile.atomic_rmw fadd relaxed gpu %p, %x, %m : tensor<128x!tile.ptr<f32>>
    ```
  }];
  let arguments = (ins
    Tile_AtomicKind:$kind, Tile_MemorySemantic:$sem, Tile_MemoryScope:$scope,
    Tile_AnyPtr:$ptr, Tile_Any:$value, Optional<Tile_AnyBool>:$mask);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = "$kind $sem $scope $ptr `,` $value (`,` $mask^)? attr-dict `:` type($ptr)";
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Checks C3 and C4: whether `kind` combines values of type `element`.
    static ::llvm::LogicalResult verifyKind(::mlir::Operation *op, AtomicKind kind,
                                            ::mlir::Type element);
  }];
}

def Tile_AtomicCASOp : Tile_AtomicOp<"atomic_cas", [
    PointeeOf<"compare">,
    PointeeOf<"value">,
    MaskOf<"AtomicCASOp">]> {
  let summary = "writes a value where memory holds the expected one";
  let description = [{
    Returns the old value in memory. The write happens where it equals
    `compare`; floats are compared by their bits. Where `mask` is false memory
    is unchanged and the result is zero.

    C1: `compare` and `value` have the pointers' shape and the pointee's type.
    C2: the pointee is 16, 32 or 64 bits wide.
    C3: `mask` is a boolean of the pointers' shape.

    ```mlir
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins
    Tile_MemorySemantic:$sem, Tile_MemoryScope:$scope,
    Tile_AnyPtr:$ptr, Tile_Any:$compare, Tile_Any:$value,
    Optional<Tile_AnyBool>:$mask);
  let results = (outs Tile_Any:$result);
  let assemblyFormat = [{
    $sem $scope $ptr `,` $compare `,` $value (`,` $mask^)? attr-dict `:` type($ptr)
  }];
  let hasVerifier = 1;
}
