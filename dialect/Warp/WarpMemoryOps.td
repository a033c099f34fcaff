// Tiles in shared memory.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_AllocOp : Warp_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "shared memory for a tile";
  let description = [{
    Live from here to its last use. With an operand, the memory initially holds
    that tile, as after a `warp.local_store`; without, its content is undefined.

    With a `cluster`, the CTAs of clusters of that size each allocate one, which
    `warp.remote_load` reads in the other CTAs. It lives as long as the CTA.

    C1: the tile has the shape and the element type of the result.
    C2: the cluster size is a power of two up to 16.

    ```mlir
    %m = warp.alloc : !warp.shared<64x32xf16, #shared>
    %n = warp.alloc %tile : (tensor<64x32xf16, #rows>) -> !warp.shared<64x32xf16, #shared>
    %o = warp.alloc {cluster = 2 : i32} : !warp.shared<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins Optional<Warp_Tile>:$source,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntPositive]>, "1">:$cluster);
  let builders = [OpBuilder<(ins "::mlir::Type":$result, "::mlir::Value":$source), [{
    build($_builder, $_state, result, source, /*cluster=*/1);
  }]>];
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = [{
    ($source^)? attr-dict `:` custom<AllocTypes>(type($source), type($result))
  }];
  let hasVerifier = 1;
}

def Warp_LocalLoadOp : Warp_Op<"local_load"> {
  let summary = "reads a tile from shared memory";
  let description = [{
    Loads the whole memory or, with `start`, the block of it at this coordinate.
    `dot` numbers the dot that reads the block. Blocks of different dots are
    then loaded separately: CSE would merge them and keep a tile in registers
    that is loaded by blocks because it does not fit.

    C1: the result has the element type of the memory, and a layout if the tiles
        of the function have layouts.
    C2: without `start` it has the shape of the memory. With it, `start` has one
        number per dimension of the memory, a multiple of the result's extent
        there, and the block is inside of the memory.

    ```mlir
    %t = warp.local_load %m : !warp.shared<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
    %u = warp.local_load %m {start = array<i64: 0, 8>}
        : !warp.shared<64x32xf16, #shared> -> tensor<64x4xf16, #part>
    ```
  }];
  let arguments = (ins Arg<Warp_Shared, "", [MemRead<Warp_SharedResource>]>:$memory,
                       OptionalAttr<DenseI64ArrayAttr>:$start,
                       OptionalAttr<I32Attr>:$dot);
  let builders = [
    OpBuilder<(ins "::mlir::Type":$type, "::mlir::Value":$memory), [{
      build($_builder, $_state, type, memory, ::mlir::DenseI64ArrayAttr(), ::mlir::IntegerAttr());
    }]>
  ];
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$memory attr-dict `:` qualified(type($memory)) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_RemoteLoadOp : Warp_Op<"remote_load"> {
  let summary = "reads a tile from the shared memory of a CTA of the cluster";
  let description = [{
    Loads `memory` of CTA `rank` of the cluster, which may be this one.

    C1: the result has the shape and the element type of the memory, and a
        layout if the tiles of the function have layouts.
    C2: the memory, or the source of its transposes, is a `warp.alloc` of a
        cluster.
    C3: `rank` is below the cluster size, and uniform for all threads that run
        the op. A `warp.cluster_barrier` separates it from earlier and from
        later stores of that CTA. (A promise; the interpreter checks it.)

    ```mlir
    %m = warp.alloc {cluster = 2 : i32} : !warp.shared<64x32xf16, #shared>
    warp.local_store %t, %m : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #shared>
    warp.cluster_barrier
    %other = warp.remote_load %m of %rank : !warp.shared<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
    ```
  }];
  let arguments = (ins Arg<Warp_Shared, "", [MemRead<Warp_SharedResource>]>:$memory, I32:$rank);
  let results = (outs Warp_Tile:$result);
  let assemblyFormat = "$memory `of` $rank attr-dict `:` qualified(type($memory)) `->` type($result)";
  let hasVerifier = 1;
}

def Warp_LocalStoreOp : Warp_Op<"local_store"> {
  let summary = "writes a tile to shared memory";
  let description = [{
    If several threads hold an element, one of them writes it.

    C1: the tile has the shape and the element type of the memory, and a layout
        if the tiles of the function have layouts.

    ```mlir
    warp.local_store %t, %m : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins Warp_Tile:$source,
                       Arg<Warp_Shared, "", [MemWrite<Warp_SharedResource>]>:$memory);
  let assemblyFormat = "$source `,` $memory attr-dict `:` type($source) `->` qualified(type($memory))";
  let hasVerifier = 1;
}

def Warp_SharedTransposeOp : Warp_Op<"shared_transpose", [
    Pure, DeclareOpInterfaceMethods<InferTypeOpInterface>]> {
  let summary = "a tile in shared memory with its dimensions in another order";
  let description = [{
    A view of the same memory: dimension i of the result is dimension order[i]
    of the source. Nothing is moved.

    C1: `order` is a permutation of the dimensions.
    C2: the result has the element type of the source, and its transposed shape
        and layout.

    ```mlir
    %t = warp.shared_transpose %m {order = array<i32: 1, 0>}
      : !warp.shared<64x32xf16, #rows> -> !warp.shared<32x64xf16, #columns>
    ```
  }];
  let arguments = (ins Warp_Shared:$source, DenseI32ArrayAttr:$order);
  let results = (outs Warp_Shared:$result);
  let assemblyFormat = [{
    $source attr-dict `:` qualified(type($source)) `->` qualified(type($result))
  }];
}

def Warp_BarrierOp : Warp_Op<"barrier", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits for all threads of the CTA";
  let description = [{
    Earlier writes of any thread to shared memory are visible to every thread
    afterwards. All threads of the CTA must execute it.

    With `release`, earlier accesses of all threads are also ordered before
    later atomic operations, for threads of that scope that acquire their
    results.

    ```mlir
    warp.barrier
    warp.barrier release gpu
    ```
  }];
  let arguments = (ins OptionalAttr<Tile_MemoryScope>:$release);
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, tile::MemoryScopeAttr());
  }]>];
  let assemblyFormat = "(`release` $release^)? attr-dict";
}

def Warp_TmaStoreOp : Warp_Op<"tma_store", [
    MemoryEffects<[MemWrite, MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "writes a tile to a block of an array by TMA";
  let description = [{
    Writes the block that starts at `offsets`, one for each dimension of the
    array; elements out of bounds are skipped. The tile goes through `staging`
    part by part, while earlier parts are being copied. The op does not wait for
    the copies: later kernels and later copies of this kernel see the tile, but
    loads of this kernel do not. `warp.tma_store_wait` waits until it has
    arrived, before other programs are notified.

    The last copies may still read `staging` after the op. Another store through
    the same memory waits for them; other uses need a `warp.tma_store_wait`.
    Warpgroups whose parts of the tile are disjoint store them independently,
    without waiting for each other.

    With `first` no earlier store used `staging`, and the op does not wait.

    With a `reduction` each element is combined with the one in memory
    atomically, with relaxed semantics and device scope.

    C1: there are one to five offsets, and at least as many as the tile has
        dimensions: the block has size 1 along the additional leading ones.
    C2: the rows of the tile are multiples of 16 bytes.
    C3: `staging` is a one-dimensional tile of bytes.
    C4: a reduction is `fadd` of f16, bf16 or f32, or any kind but `xchg` on
        integers of 32 or 64 bits.

    ```mlir
    %staging = warp.alloc : !warp.shared<32768xi8, #bytes>
    warp.tma_store %tile, %map[%m, %n] through %staging
        : tensor<128x256xf16, #acc>, !warp.tensor_map, !warp.shared<32768xi8, #bytes>
    warp.tma_store %tile, %map[%m, %n] through %staging reduce fadd
        : tensor<128x256xf16, #acc>, !warp.tensor_map, !warp.shared<32768xi8, #bytes>
    warp.tma_store_wait %staging : !warp.shared<32768xi8, #bytes>
    ```
  }];
  let arguments = (ins Warp_Tile:$source, AnyType:$map, Variadic<I32>:$offsets,
                       Warp_Shared:$staging, OptionalAttr<Tile_AtomicKind>:$reduction,
                       UnitAttr:$first);
  let assemblyFormat = [{
    $source `,` $map `[` $offsets `]` `through` $staging (`reduce` $reduction^)? attr-dict
    `:` type($source) `,` type($map) `,` type($staging)
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// C4: whether TMA supports the reduction `kind` for `element`.
    static bool canReduce(::tilewright::tile::AtomicKind kind, ::mlir::Type element);
  }];
}

def Warp_TmaStoreWaitOp : Warp_Op<"tma_store_wait", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits for the copies of stores";
  let description = [{
    The thread that issued the copies of the `warp.tma_store` ops through
    `staging` waits until they have read that memory. With `arrived` it waits
    until their writes are complete, so that it can release them. Other threads
    are ordered by the next barrier.

    ```mlir
    warp.tma_store_wait %staging : !warp.shared<32768xi8, #bytes>
    warp.tma_store_wait %staging arrived : !warp.shared<32768xi8, #bytes>
    tile.atomic_rmw add release gpu %flag, %one : !tile.ptr<i32>
    ```
  }];
  let arguments = (ins Warp_Shared:$staging, UnitAttr:$arrived);
  let builders = [OpBuilder<(ins "::mlir::Value":$staging), [{
    build($_builder, $_state, staging, /*arrived=*/false);
  }]>];
  let assemblyFormat = "$staging (`arrived` $arrived^)? attr-dict `:` type($staging)";
}
