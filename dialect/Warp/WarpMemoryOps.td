// Tiles in shared memory.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_AllocOp : Warp_Op<"alloc", [
    DeclareOpInterfaceMethods<MemoryEffectsOpInterface>]> {
  let summary = "shared memory for a tile";
  let description = [{
    Lives from here to its last use. With an operand, the memory holds that tile
    from the start, as after a `warp.local_store`; without, its content is
    undefined.

    With a `cluster`, the blocks of clusters of that size each make one, which
    `warp.remote_load` reads in the others: it lives as long as the block.

    C1: the tile has the shape and the element type of the result.
    C2: the size of a cluster is a power of two up to 16.

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
    All that the memory holds, or, with `start`, the block of it that starts at
    this place. `product` numbers the product that the block is read for: blocks
    of different ones are read each on its own, where `cse` would keep all of a
    tile in registers that is read block by block because it does not fit.

    C1: the result has the element type of the memory, and a layout where the
        tiles of the function have.
    C2: without `start` it has the shape of the memory. With it, `start` has a
        number for each dimension of the memory, a multiple of the result's
        size there, and the block lies inside of the memory.

    ```mlir
    %t = warp.local_load %m : !warp.shared<64x32xf16, #shared> -> tensor<64x32xf16, #rows>
    %u = warp.local_load %m {start = array<i64: 0, 8>}
        : !warp.shared<64x32xf16, #shared> -> tensor<64x4xf16, #part>
    ```
  }];
  let arguments = (ins Arg<Warp_Shared, "", [MemRead<Warp_SharedResource>]>:$memory,
                       OptionalAttr<DenseI64ArrayAttr>:$start,
                       OptionalAttr<I32Attr>:$product);
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
  let summary = "reads a tile from the shared memory of a block of the cluster";
  let description = [{
    What `memory` is in block `rank` of the cluster, which may be this one.

    C1: the result has the shape and the element type of the memory, and a
        layout where the tiles of the function have.
    C2: the memory, or what it is the transpose of, is a `warp.alloc` of a cluster.
    C3: `rank` is below the size of the cluster, and the same for all threads that
        run the op. A `warp.cluster_barrier` stands between the stores of that
        block and this, and between this and its next stores. (A promise; the
        interpreter checks it.)

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
    Of elements that several threads hold, one copy is written.

    C1: the tile has the shape and the element type of the memory, and a layout
        where the tiles of the function have.

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
    The same memory under another name: dimension i of the result is dimension
    order[i] of the source. Nothing is moved.

    C1: `order` is a permutation of the dimensions.
    C2: the result has the element type of the source, and the shape and layout
        that follow from its.

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
  let summary = "waits for all threads of the block";
  let description = [{
    What any thread wrote to shared memory before is seen by every thread after.
    All threads of the block must get here.

    With `release`, what they did before also comes before all atomic operations
    behind, for the threads of that scope that acquire what these write.

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
  let summary = "writes a tile to a block of an array by the tensor memory accelerator";
  let description = [{
    The block that starts at `offsets`, one for each dimension of the array; what
    is out of bounds is left out. The tile goes through `staging`, a part of it
    after the other, while the parts before are being copied. When the op is done,
    the tile is on its way: other kernels see it, and so do copies of this one, but
    no loads of this kernel. Before other programs are told of it,
    `warp.tma_store_wait` waits until it has arrived.

    The last copies still read `staging` then. Another store through the same
    memory knows how to wait for them; for all other uses `warp.tma_store_wait`
    does. Warpgroups whose parts of the tile are apart store them each on its own,
    without waiting for each other.

    With `first` none was stored through `staging` before, and nothing is waited
    for.

    With a `reduction` each element is combined with what is there, in one
    indivisible step of the memory, relaxed and with the scope of the device.

    C1: there are one to five offsets, and at least as many as the tile has
        dimensions: the block has size 1 along those that come before.
    C2: the rows of the tile are multiples of 16 bytes.
    C3: `staging` is a row of bytes.
    C4: a reduction is `fadd` of f16, bf16 or f32, or on integers of 32 or 64 bits
        any kind but `xchg`.

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
    /// C4: whether the tensor memory accelerator combines values of type
    /// `element` so.
    static bool canReduce(::tilewright::tile::AtomicKind kind, ::mlir::Type element);
  }];
}

def Warp_TmaStoreWaitOp : Warp_Op<"tma_store_wait", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits for the copies of stores";
  let description = [{
    The thread that made the copies of the `warp.tma_store` ops through `staging`
    waits until they have read that memory or, with `arrived`, until what they
    write is there for it to release. Others learn of it by the next barrier.

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
