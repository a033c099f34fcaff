// Tensor maps that the device makes, of arrays that only the kernel knows.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_AcquireMapMemoryOp : Warp_Op<"acquire_map_memory", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "global memory for the tensor maps of a warpgroup";
  let description = [{
    Nobody else uses it until it is given back. The first warp of each warpgroup
    of the role gets its own; in the others the result means nothing. The memory
    is part of the module: each multiprocessor has as many pieces as warpgroups
    fit, and the warp takes a free one.

    ```mlir
    %memory = warp.acquire_map_memory : !warp.map_memory<2>
    ```
  }];
  let results = (outs Warp_MapMemory:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def Warp_ReleaseMapMemoryOp : Warp_Op<"release_map_memory", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "gives memory for tensor maps back";
  let description = [{
    Waits for the stores of the threads that made the maps first.

    C1: the memory was acquired in the same role.
    C2: no load through one of its maps is under way. (A promise, which
        `warp.ring.drain` keeps.)

    ```mlir
    warp.release_map_memory %memory : !warp.map_memory<2>
    ```
  }];
  let arguments = (ins Warp_MapMemory:$memory);
  let assemblyFormat = "$memory attr-dict `:` qualified(type($memory))";
  let hasVerifier = 1;
}

def Warp_MakeTensorMapOp : Warp_Op<"make_tensor_map", [
    AttrSizedOperandSegments, MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "a tensor map of an array that only the kernel knows";
  let description = [{
    Describes the array of `tile.make_descriptor` in piece `index` of the memory,
    by way of `staging`, in which each warp of the block has 128 bytes. Copies of the
    threads that act for their warpgroup may use the map from now on. `box` is
    the block that one copy moves, `swizzle` the width of its swizzle in bytes,
    `element` the type that a reduction takes the elements for, and `written`
    says that the map is for stores. Where the base or a stride is no multiple of
    16 bytes, or a stride is negative, the kernel traps.

    C1: there are one to five sizes, one stride less, and a side of the box for
        each size.
    C2: the memory was acquired in the same role, for more than `index` maps.
    C3: `staging` is a row of bytes.
    C4: the swizzle is over 0, 32, 64 or 128 bytes.
    C5: copies through the map that was there before are done. (A promise, which
        `warp.ring.drain` keeps for loads; stores are waited for.)

    ```mlir
    %map = warp.make_tensor_map %base, [%m, %k], [%stride] in %memory at 0 through %staging
        {box = array<i64: 128, 64>, element = f16, padding = 0 : i32, swizzle = 128 : i32}
        : !tile.ptr<f16>, !warp.map_memory<2>, !warp.shared<2048xi8, #bytes>
    ```
  }];
  let arguments = (ins Tile_Ptr:$base, Variadic<I64>:$shape, Variadic<I64>:$strides,
                       Warp_MapMemory:$memory, Warp_Shared:$staging,
                       ConfinedAttr<I32Attr, [IntNonNegative]>:$index,
                       DenseI64ArrayAttr:$box, TypeAttr:$element, Tile_Padding:$padding,
                       I32Attr:$swizzle, UnitAttr:$written);
  let results = (outs Warp_TensorMap:$result);
  let assemblyFormat = [{
    $base `,` `[` $shape `]` `,` `[` $strides `]` `in` $memory `at` $index
    `through` $staging attr-dict
    `:` qualified(type($base)) `,` qualified(type($memory)) `,` qualified(type($staging))
  }];
  let hasVerifier = 1;
}

def Warp_RingDrainOp : Warp_Op<"ring.drain", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits until all copies into a ring have arrived";
  let description = [{
    The producer waits for what it has issued itself, not for the consumers.

    C1: the ring is one of `transactions`, of one block.

    ```mlir
    warp.ring.drain %ring : !warp.ring<3 x {!tile}, transactions>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}
