// Rings of shared memory: what producers fill ahead of their consumers.

include "dialect/Warp/WarpBase.td"

def Warp_RingSharedResource : Resource<"::tilewright::warp::SharedMemory">;

/// Ops that stay in their order among those of shared memory.
defvar Warp_SharedOrder = MemoryEffects<[
    MemRead<Warp_RingSharedResource>, MemWrite<Warp_RingSharedResource>]>;

def Warp_RingOp : Warp_Op<"ring", [MemoryEffects<[MemAlloc<Warp_RingSharedResource>]>]> {
  let summary = "shared memory for a ring";
  let description = [{
    Lives from here to the last use of one of its slots. All slots are empty.

    C1: before the ring's last use every copy into it has been waited for.
        Copies that are switched off do not count.
    C2: of a ring of a cluster, every block makes one, and each acquires, commits,
        waits for and releases as many slots as the others. A
        `warp.cluster_barrier` stands between the ring and its first use, and
        another one between its last use and the end of the kernel. (A promise:
        a block that runs ahead would write into, or tell, one that is not there
        yet or no more.)

    ```mlir
    %ring = warp.ring : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, async_groups>
    ```
  }];
  let results = (outs Warp_Ring:$result);
  let assemblyFormat = "attr-dict `:` qualified(type($result))";
}

class Warp_SlotOp<string mnemonic, list<Trait> traits = []> : Warp_Op<mnemonic, !listconcat([
    DeclareOpInterfaceMethods<InferTypeOpInterface>, Warp_SharedOrder], traits)> {
  let results = (outs Warp_Slot:$slot, Variadic<Warp_Shared>:$tiles);
  let hasVerifier = 1;
}

def Warp_RingAcquireOp : Warp_SlotOp<"ring.acquire", [AttrSizedOperandSegments]> {
  let summary = "an empty slot, to be filled";
  let description = [{
    The results are the right to fill the slot whose turn it is, and its tiles.
    In a ring of `transactions` the producer waits until the slot is empty; one
    that fills itself names the slot by `index`. Where `throttled`, which is the same
    for all threads, is true, the producer waits until the slot after it is empty,
    too, and so fills one slot less ahead than the ring has.

    C1: on each way through branches the slot is used once, by the
        `warp.ring.commit` that ends the filling.
    C2: there is an `index` if and only if the ring completes by `async_groups`.
        It counts 0, 1, ..., N - 1, 0, ... from one to the next.
    C3: with an `index` the slot is empty: it was never committed or has been
        released by every thread. `warp-insert-barriers` puts a barrier between a
        release and the copies that come next.
    C4: `throttled` stands in a ring of `transactions` only, of at least three slots.
        Its consumers hold two slots less than there are, at most, when they wait
        for one. (`warp-check-rings` proves it.)

    ```mlir
    %slot, %tile = warp.ring.acquire %ring[%i]
      : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, async_groups>
    %slot, %tile = warp.ring.acquire %ring
      : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, transactions>
    %slot, %tile = warp.ring.acquire %ring throttled %late
      : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, transactions>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring, Optional<I32>:$index, Optional<I1>:$throttled);
  let builders = [OpBuilder<(ins "::mlir::Value":$ring, CArg<"::mlir::Value", "{}">:$index), [{
    build($_builder, $_state, ring, index, /*throttled=*/::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $ring (`[` $index^ `]`)? (`throttled` $throttled^)? attr-dict `:` qualified(type($ring))
  }];
}

def Warp_RingCommitOp : Warp_Op<"ring.commit", [Warp_SharedOrder]> {
  let summary = "everything that fills a slot has been issued";
  let description = [{
    Ends the group of asynchronous copies that fill the slot, which may be none.

    C1: the slot was acquired.
    C2: of a ring of `transactions`, each tile is filled by one `warp.tma_load`,
        or its only one by a `warp.ring.put_scalar`. (A promise; a consumer would wait for
        ever.)

    ```mlir
    warp.ring.commit %slot
    warp.ring.commit %slot : !warp.slot<cluster 2>
    ```
  }];
  let arguments = (ins Warp_Slot:$slot);
  let assemblyFormat = "$slot attr-dict `` custom<SlotKind>(type($slot))";
  let hasVerifier = 1;
}

def Warp_RingWaitOp : Warp_SlotOp<"ring.wait"> {
  let summary = "a full slot, to be read";
  let description = [{
    Waits until the slot whose turn it is has been filled. The results are the
    right to read the slot, and its tiles.

    In a ring of `async_groups`, that is slot `index`, and up to `pending`
    commits that came after its own may still be under way. Each thread waits for
    what it copied itself; what others copied is there behind the next barrier,
    which `warp-insert-barriers` puts before the first read.

    C1: on each way through branches the slot is used once, by the
        `warp.ring.release` that ends the reading.
    C2: there is an `index` if and only if the ring completes by `async_groups`.
        It counts 0, 1, ..., N - 1, 0, ... from one to the next.
    C3: with an `index`, the slot was committed, and not more than `pending` were
        since.
    C4: `pending` is 0 without an `index`. Commits of other rings count, too.

    ```mlir
    %slot, %tile = warp.ring.wait %ring[%i] pending 1
      : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, async_groups>
    %slot, %tile = warp.ring.wait %ring
      : !warp.ring<3 x {!warp.shared<64x32xf16, #shared>}, transactions>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring, Optional<I32>:$index,
                       DefaultValuedAttr<ConfinedAttr<I32Attr, [IntNonNegative]>, "0">:$pending);
  let builders = [OpBuilder<(ins "::mlir::Value":$ring), [{
    build($_builder, $_state, ring, ::mlir::Value(), /*pending=*/0);
  }]>];
  let assemblyFormat = [{
    $ring (`[` $index^ `]` `pending` $pending)? attr-dict `:` qualified(type($ring))
  }];
}

def Warp_RingSkipOp : Warp_Op<"ring.skip", [
    AllTypesMatch<["lower", "upper", "step"]>, Warp_SharedOrder]> {
  let summary = "passes slots by that another team reads";
  let description = [{
    The next slot that this team waits for comes behind as many others as a loop
    from `lower` to `upper` by `step` has iterations. Nothing is waited for, and
    nothing released.

    C1: it stands in the role of teams, and the ring is one of `transactions`.
    C2: the slots that it passes by are read by one other team. (`warp-check-rings`
        proves it.)

    ```mlir
    warp.ring.skip %ring for %c0 to %k step %c64
      : i32, !warp.ring<4 x {!warp.shared<64x32xf16, #shared>}, transactions>
    ```
  }];
  let arguments = (ins Warp_Ring:$ring, AnySignlessIntegerOrIndex:$lower,
                       AnySignlessIntegerOrIndex:$upper,
                       AnySignlessIntegerOrIndex:$step, UnitAttr:$unsignedCmp);
  let assemblyFormat = [{
    $ring `for` (`unsigned` $unsignedCmp^)? $lower `to` $upper `step` $step attr-dict
    `:` type($lower) `,` qualified(type($ring))
  }];
  let hasVerifier = 1;
}

def Warp_RingReleaseOp : Warp_Op<"ring.release", [Warp_SharedOrder]> {
  let summary = "this thread has read what it needs of a slot";
  let description = [{
    Nothing happens where `condition`, which is the same for all threads, is
    false: then the slot must be that of `warp.ring.no_slot`. The producers of
    all blocks that share the ring are told.

    C1: the slot was waited for.

    ```mlir
    warp.ring.release %slot
    warp.ring.release %held if %notFirst
    ```
  }];
  let arguments = (ins Warp_Slot:$slot, Optional<I1>:$condition);
  let builders = [OpBuilder<(ins "::mlir::Value":$slot), [{
    build($_builder, $_state, slot, ::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $slot (`if` $condition^)? attr-dict `` custom<SlotKind>(type($slot))
  }];
  let hasVerifier = 1;
}

def Warp_RingNoSlotOp : Warp_Op<"ring.no_slot", [Pure]> {
  let summary = "the right to nothing";
  let description = [{
    What a loop that holds the slot of the iteration before carries into its
    first one. It may be used any number of times. Its type is that of the slots
    it stands for.

    ```mlir
    %none = warp.ring.no_slot
    %none = warp.ring.no_slot : !warp.slot<cluster 2>
    ```
  }];
  let results = (outs Warp_Slot:$slot);
  let builders = [OpBuilder<(ins), [{
    build($_builder, $_state, SlotType::get($_builder.getContext()));
  }]>];
  let assemblyFormat = "attr-dict `` custom<SlotKind>(type($slot))";
}

def Warp_TmaLoadOp : Warp_Op<"tma_load", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemRead<Warp_RingSharedResource>,
                   MemWrite<Warp_RingSharedResource>]>]> {
  let summary = "starts to copy a block of an array into a slot";
  let description = [{
    The tensor memory accelerator copies the block that starts at `offsets`, one
    for each dimension of the array, into shared memory and tells the slot's full
    barrier when it is there. What is out of bounds becomes the padding of the
    map. One thread of the role that runs the op issues the copy.

    With `multicast` the blocks of a cluster bring one block of the array to all
    of them: each copies a part of it into the slots of all. Where `shared`, which
    is the same for all threads of the cluster, is false, each copies what it
    needs for itself.

    C1: the memory is a tile of an acquired slot of a ring of `transactions`.
    C2: there are one to five offsets, and at least as many as the tile has
        dimensions: the block has size 1 along those that come before.
    C3: the tensor memory accelerator can write the layout of the tile: its
        elements in row-major order, or in panels swizzled over 32, 64 or 128
        bytes.
    C4: with `multicast` the ring belongs to a cluster, and the copy can be
        divided into a part for each of its blocks (lib/Layout/TmaTiling.h);
        `shared` stands for `multicast` only.
    C5: with `multicast`, where `shared` is true, all blocks of the cluster give
        the same map and offsets. (A promise; `warp-form-clusters` takes it from
        the addresses.)

    ```mlir
    warp.tma_load %map[%m, %k], %tile : !warp.tensor_map, !warp.shared<128x64xf16, #shared>
    warp.tma_load %map[%n, %k], %tile multicast if %same
      : !warp.tensor_map, !warp.shared<256x64xf16, #shared>
    ```
  }];
  let arguments = (ins AnyType:$map, Variadic<I32>:$offsets, Warp_Shared:$memory,
                       UnitAttr:$multicast, Optional<I1>:$shared);
  let builders = [OpBuilder<(ins "::mlir::Value":$map, "::mlir::ValueRange":$offsets,
                                 "::mlir::Value":$memory), [{
    build($_builder, $_state, map, offsets, memory, /*multicast=*/false,
          /*shared=*/::mlir::Value());
  }]>];
  let assemblyFormat = [{
    $map `[` $offsets `]` `,` $memory (`multicast` $multicast^)? (`if` $shared^)?
    attr-dict `:` type($map) `,` qualified(type($memory))
  }];
  let hasVerifier = 1;
  let extraClassDeclaration = [{
    /// Into how many parts the blocks of a cluster divide the copy; 1 without
    /// `multicast`.
    unsigned getNumParts();
  }];
}

def Warp_RingPutScalarOp : Warp_Op<"ring.put_scalar"> {
  let summary = "hands a number to the roles that read a ring";
  let description = [{
    Writes what all threads of the role have computed to the start of the slot and
    tells that it is full. Whoever takes the number sees what this role saw before: the
    result of an atomic operation with acquire semantics, say, orders the loads of
    those who take it, too.

    C1: the memory is the only tile of a slot that was acquired from a ring of
        `transactions` of one block.
    C2: its elements have the type of `value`: a number of 32 or 64 bits.

    ```mlir
    %slot, %tile = warp.ring.acquire %ring : !warp.ring<1 x {!two}, transactions>
    warp.ring.put_scalar %next, %tile : i32, !warp.shared<2xi32, #two>
    warp.ring.commit %slot
    ```
  }];
  let arguments = (ins AnyTypeOf<[AnySignlessInteger, AnyFloat]>:$value,
                       Arg<Warp_Shared, "", [MemWrite<Warp_RingSharedResource>]>:$memory);
  let assemblyFormat = "$value `,` $memory attr-dict `:` type($value) `,` qualified(type($memory))";
  let hasVerifier = 1;
}

def Warp_RingGetScalarOp : Warp_Op<"ring.get_scalar", [InferTypeOpAdaptor]> {
  let summary = "takes the number that another role has handed over";
  let description = [{
    Copies that come after see what that role saw.

    C1: the memory is a tile of a slot that was waited for.

    ```mlir
    %slot, %tile = warp.ring.wait %ring : !warp.ring<1 x {!two}, transactions>
    %next = warp.ring.get_scalar %tile : !warp.shared<2xi32, #two>
    warp.ring.release %slot
    ```
  }];
  let arguments = (ins Arg<Warp_Shared, "", [MemRead<Warp_RingSharedResource>]>:$memory);
  let results = (outs AnyType:$result);
  let assemblyFormat = "$memory attr-dict `:` qualified(type($memory))";
  let hasVerifier = 1;
}

def Warp_AsyncCopyOp : Warp_Op<"async_copy", [AttrSizedOperandSegments,
    MemoryEffects<[MemRead, MemRead<Warp_RingSharedResource>,
                   MemWrite<Warp_RingSharedResource>]>]> {
  let summary = "starts to copy what pointers point to into a slot";
  let description = [{
    Where `mask` is false zero is written and nothing is read. Where `enable`,
    which is the same for all threads, is false, nothing happens at all. The
    copy belongs to the group that the next `warp.ring.commit` ends.

    C1: pointers and memory have one shape, and the pointees the memory's type.
    C2: the pointers have a `#warp.linear` layout, and the mask their type but
        for the element.
    C3: the memory is a tile of an acquired slot.
    C4: `vector` elements are 4, 8 or 16 bytes.
    C5: registers that differ in their lowest log2(`vector`) bits follow each
        other in shared memory.
    C6: where the copy is not switched off, they follow each other in global
        memory too, at an address that is a multiple of their size, and have
        one mask. (A promise; `warp-pipeline-loops` takes it from the axis
        analysis.)

    ```mlir
    warp.async_copy %ptrs, %tile mask %m if %more vector 8
      : tensor<64x32x!tile.ptr<f16>, #rows>, !warp.shared<64x32xf16, #shared>
    ```
  }];
  let arguments = (ins Warp_Tile:$ptr, Warp_Shared:$memory,
                       Optional<Warp_Tile>:$mask, Optional<I1>:$enable,
                       I32Attr:$vector);
  let assemblyFormat = [{
    $ptr `,` $memory (`mask` $mask^)? (`if` $enable^)? `vector` $vector attr-dict
    `:` type($ptr) `,` qualified(type($memory)) (`,` type($mask)^)?
  }];
  let hasVerifier = 1;
}
