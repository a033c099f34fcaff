// Rings in shared memory, which producers fill before their consumers need it.

include "dialect/Warp/WarpBase.td"

def Warp_RingSharedResource : Resource<"::tilewright::warp::SharedMemory">;

/// The memory effects of ops that keep their order among shared memory ops.
defvar Warp_SharedOrder = MemoryEffects<[
    MemRead<Warp_RingSharedResource>, MemWrite<Warp_RingSharedResource>]>;

def Warp_RingOp : Warp_Op<"ring", [MemoryEffects<[MemAlloc<Warp_RingSharedResource>]>]> {
  let summary = "shared memory for a ring";
  let description = [{
    Live from here to the last use of one of its slots. All slots are empty.

    C1: every copy into the ring is waited for before the ring's last use.
        Disabled copies do not count.
    C2: for a ring of a cluster, every CTA creates one, and each acquires,
        commits, waits for and releases as many slots as the others. A
        `warp.cluster_barrier` separates the ring from its first use, and
        another one its last use from the end of the kernel. (A promise:
        otherwise a CTA could write to, or signal, one that has not started or
        has exited.)

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
  let summary = "acquires an empty slot to fill";
  let description = [{
    Returns the right to fill the next slot, and its tiles. In a ring of
    `transactions` the producer waits until the slot is empty; in a ring of
    `async_groups` `index` names the slot. If the uniform condition `throttled`
    is true, the producer also waits until the slot after it is empty. It then
    prefetches one slot less than the ring has.

    C1: on each path through branches the slot is used once, by the
        `warp.ring.commit` that ends the filling.
    C2: there is an `index` if and only if the ring completes by `async_groups`.
        Successive indices are 0, 1, ..., N - 1, 0, ...
    C3: with an `index` the slot is empty: it was never committed or every
        thread has released it. `warp-insert-barriers` puts a barrier between a
        release and the next copies.
    C4: `throttled` requires a ring of `transactions` of at least three slots.
        Its consumers hold at most two slots less than the ring has when they
        wait for one. (`warp-check-rings` proves it.)

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
  let summary = "ends the filling of a slot";
  let description = [{
    Ends the group of asynchronous copies that fill the slot; it may be empty.

    C1: the slot was acquired.
    C2: in a ring of `transactions`, one `warp.tma_load` fills each tile, or one
        `warp.ring.put_scalar` the only tile. (A promise; otherwise a consumer
        would wait forever.)

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
  let summary = "waits for a full slot to read";
  let description = [{
    Waits until the next slot has been filled. Returns the right to read the
    slot, and its tiles.

    In a ring of `async_groups` the slot is number `index`, and up to `pending`
    later commits may still be in flight. Each thread waits for its own copies.
    Those of other threads are visible after the next barrier, which
    `warp-insert-barriers` puts before the first read.

    C1: on each path through branches the slot is used once, by the
        `warp.ring.release` that ends the reading.
    C2: there is an `index` if and only if the ring completes by `async_groups`.
        Successive indices are 0, 1, ..., N - 1, 0, ...
    C3: with an `index`, the slot was committed, with at most `pending` commits
        after it.
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
  let summary = "skips slots that another ping-pong group reads";
  let description = [{
    This ping-pong group skips as many slots as a loop from `lower` to `upper`
    by `step` has iterations. It neither waits for them nor releases them.

    C1: it is in a role with ping-pong groups, and the ring is one of
        `transactions`.
    C2: one other group reads the skipped slots. (`warp-check-rings` proves it.)

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
  let summary = "ends the reading of a slot by this thread";
  let description = [{
    Signals the producers of all CTAs that share the ring. If the uniform
    `condition` is false, nothing happens; the slot must then be that of
    `warp.ring.no_slot`.

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
  let summary = "a placeholder for a slot";
  let description = [{
    The initial value of a loop that carries the slot of its previous iteration.
    It may be used any number of times. Its type is that of the slots it
    replaces.

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
    TMA copies the block that starts at `offsets`, one for each dimension of the
    array, into shared memory and signals the slot's full barrier on completion.
    Elements out of bounds become the padding of the map. One thread of the role
    that runs the op issues the copy.

    With `multicast` the CTAs of a cluster load one block of the array for all
    of them: each copies a part of it into the slots of all. If `shared`, which
    is uniform in the cluster, is false, each CTA copies its own block.

    C1: the memory is a tile of an acquired slot of a ring of `transactions`.
    C2: there are one to five offsets, and at least as many as the tile has
        dimensions: the block has size 1 along the additional leading ones.
    C3: TMA supports the layout of the tile: its elements in row-major order, or
        in panels swizzled over 32, 64 or 128 bytes.
    C4: with `multicast` the ring belongs to a cluster, and the copy can be
        divided into one part per CTA (lib/Layout/TmaTiling.h); `shared`
        requires `multicast`.
    C5: with `multicast` and `shared` true, all CTAs of the cluster use the same
        map and offsets. (A promise; `warp-form-clusters` derives it from the
        addresses.)

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
    /// The number of parts, one per CTA of a cluster; 1 without `multicast`.
    unsigned getNumParts();
  }];
}

def Warp_RingPutScalarOp : Warp_Op<"ring.put_scalar"> {
  let summary = "passes a scalar to the roles that read a ring";
  let description = [{
    Writes a value, which all threads of the role have computed, to the start of
    the slot and signals that it is full. The reader of the scalar sees all that
    this role saw before. For example, the result of an atomic operation with
    acquire semantics also orders the reader's loads.

    C1: the memory is the only tile of a slot that was acquired from a ring of
        `transactions` of one CTA.
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
  let summary = "reads the scalar that another role has passed";
  let description = [{
    Later copies see all that the writing role saw.

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
  let summary = "starts to copy elements by pointers into a slot";
  let description = [{
    Where `mask` is false, zero is written and nothing is read. If the uniform
    condition `enable` is false, the op does nothing. The copy belongs to the
    group that the next `warp.ring.commit` ends.

    C1: pointers and memory have one shape, and the pointees the memory's type.
    C2: the pointers have a `#warp.linear` layout, and the mask has their type
        with elements of i1.
    C3: the memory is a tile of an acquired slot.
    C4: `vector` elements are 4, 8 or 16 bytes.
    C5: registers that differ in their lowest log2(`vector`) bits are adjacent
        in shared memory.
    C6: if the copy is enabled, they are also adjacent in global memory, at an
        address that is a multiple of their size, and have one mask. (A promise;
        `warp-pipeline-loops` takes it from the axis analysis.)

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
