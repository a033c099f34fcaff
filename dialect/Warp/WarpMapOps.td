// Tensor maps that the device writes, for arrays that only the kernel knows.

include "dialect/Tile/TileBase.td"
include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_AcquireMapMemoryOp : Warp_Op<"acquire_map_memory", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "global memory for the tensor maps of a warpgroup";
  let description = [{
    No other warpgroup uses it until it is released. The first warp of each
    warpgroup of the role gets its own memory; in the other warps the result is
    undefined. The memory is part of the module: each SM has at least as many
    pieces as warpgroups fit, and the warp takes a free one.

    ```mlir
    %memory = warp.acquire_map_memory : !warp.map_memory<2>
    ```
  }];
  let results = (outs Warp_MapMemory:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

def Warp_ReleaseMapMemoryOp : Warp_Op<"release_map_memory", [MemoryEffects<[MemRead, MemWrite]>]> {
  let summary = "releases memory for tensor maps";
  let description = [{
    First waits for the stores of the threads that wrote the maps.

    C1: the same role has acquired the memory.
    C2: no load through one of its maps is in flight. (A promise, which
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
  let summary = "creates a tensor map of an array that only the kernel knows";
  let description = [{
    Describes the array of `tile.make_descriptor` in piece `index` of the
    memory. It uses `staging`, in which each warp of the CTA has 128 bytes.
    Copies of the leader threads of warpgroups may use the map afterwards. `box`
    is the block that one copy moves and `swizzle` the width of its swizzle in
    bytes. `element` is the element type for reductions, and `written` marks a
    map for stores. The kernel traps if the base or a stride is not a multiple
    of 16 bytes, or a stride is negative.

    C1: there are one to five sizes, one stride less, and one extent of the box
        per size.
    C2: the same role has acquired the memory, for more than `index` maps.
    C3: `staging` is a one-dimensional tile of bytes.
    C4: the swizzle is over 0, 32, 64 or 128 bytes.
    C5: copies through the previous map at this index are complete. (A promise,
        which `warp.ring.drain` keeps for loads; the op waits for stores.)

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
    The producer waits for the copies that it issued, not for the consumers.

    C1: the ring is one of `transactions` and belongs to one CTA.

    ```mlir
    warp.ring.drain %ring : !warp.ring<3 x {!tile}, transactions>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring);
  let assemblyFormat = "$ring attr-dict `:` qualified(type($ring))";
  let hasVerifier = 1;
}
