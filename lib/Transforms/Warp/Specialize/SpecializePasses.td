// Passes that decide which program computes which tile, and that split its warps
// into roles: persistence, producer and consumers, clusters.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPASSES

include "mlir/Pass/PassBase.td"

def MakePersistent : Pass<"warp-make-persistent", "::mlir::ModuleOp"> {
  let summary = "let each program of a launch run several of the grid in turn";
  let description = [{
    A kernel that loads from descriptors gets a loop over the programs that it was
    asked to run, and is launched with as many as run at once. So the loads of
    the next one start while the one before still stores, and nothing is set up
    again. Three arguments behind all others give the sides of the grid, and
    `warp.persistent` tells the runtime.

    Input: layouts are chosen, rings are not made. Output: the same.

    ```mlir
    %x = tile.program_id x                                    // before
    ...

    %n = arith.muli %gx, %gy_gz                                // after
    scf.for %p = %mine to %n step %running {
      %x = arith.remui %p, %gx
      ...
    }
    ```

    Left alone: kernels without such loads, with atomic operations, by which
    programs may wait for each other, and with loops whose length depends on the
    program: those are better dealt out one by one. So are those of which some
    programs have no products, because something that is counted from the
    program's number is less than something else that is.

    With `single-wave` no multiprocessor is to run two programs of a launch, and
    the loop would cost the only one its time: kernels with such loads are left
    alone, and get `warp.single_wave`.
  }];
  let options = [Option<"singleWave", "single-wave", "bool", "false",
                        "all programs of a launch run at once, each on a "
                        "multiprocessor of its own">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def StageStores : Pass<"warp-stage-stores", "::mlir::ModuleOp"> {
  let summary = "let stores share memory to go through, and wait for it at the end";
  let description = [{
    Stores by the tensor memory accelerator whose parts belong to the same warps
    go through one piece of memory, made in front of the outermost loop that a
    store stands in. So nobody waits until the copies of a store have read it,
    before the next store writes it or the last is done; meanwhile the next loop
    runs. In front of an atomic operation by which the program releases what it
    has written, the copies have to arrive.

    Input: layouts are chosen, each store has memory of its own. Output: the same,
    with memory that lives as long as its stores.

    ```mlir
    scf.for ... {                                         // before
      %s = warp.alloc
      warp.tma_store %t, %map[%m, %n] through %s
      warp.tma_store_wait %s
    }

    %s = warp.alloc                                       // after
    scf.for ... {
      warp.tma_store %t, %map[%m, %n] through %s
    }
    warp.tma_store_wait %s
    ```

    In functions of several blocks each store is waited for on its own.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def Specialize : Pass<"warp-specialize", "::mlir::ModuleOp"> {
  let summary = "give the loads from descriptors to a warp of their own";
  let description = [{
    A function that loads from descriptors is split into two roles. The
    *consumer*, the warps that its layouts speak of, runs all of it but those
    loads: in their place it waits for a slot of a ring, where the tile is first
    used, and gives the slot back behind its last use. The *producer*, one warp,
    runs the control flow around the loads and fills the slots. Operands of the
    same products share a slot. A ring has as many slots as `tile.num_stages` of
    the loop around, or the option, says; where shared memory is short, fewer, and
    tiles that are loaded once, one behind the last use of the other, share a slot.
    Where two programs of one warpgroup could share a multiprocessor but for the
    registers of their sums, the producer is a warpgroup that gives registers back.
    What the producer needs of atomic operations, or has to wait for, the consumer
    hands over, each through a ring of its own. What was loaded has arrived before
    an atomic operation releases it.

    With `ping-pong` the consumers are two teams of one warpgroup, which take the
    tiles of the loop at the top of the function in turn
    (lib/Transforms/Warp/Specialize/FormPingPong.cpp). Functions whose tiles have no loop of
    their own, or may need each other, or take a number of slots that the team
    which passes them by does not know, are split as without, with a remark
    (lib/Transforms/Warp/Specialize/PingPongPlan.cpp).

    Input: layouts are chosen, shared memory is not allocated; every load from a
    descriptor is one that a producer can issue (lib/Analysis/SharedMemory/ProducerSlice.h).
    Output: no `tile.descriptor_load` is left.

    ```mlir
    scf.for %k = %lb to %ub step %s iter_args(%acc = %zero) {        // before
      %a = tile.descriptor_load %da[%m, %k]
      %ma = warp.alloc %a
      ... warp.wgmma %ma, ...
    }

    %ring = warp.ring : !warp.ring<3 x {...}, transactions>         // after
    warp.specialize consumer {
      scf.for %k = %lb to %ub step %s iter_args(%acc = %zero) {
        %slot, %ma = warp.ring.wait %ring
        ... warp.wgmma %ma, ...
        warp.ring.release %slot
      }
    } producer {
      scf.for %k = %lb to %ub step %s {
        %slot, %ma = warp.ring.acquire %ring
        warp.tma_load %da[%m, %k], %ma
        warp.ring.commit %slot
      }
    }
    ```
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "3",
                        "slots of a ring, in loops without a hint">,
                 Option<"limit", "limit", "int64_t", "232448",
                        "bytes of shared memory that one block may use">,
                 Option<"pingPong", "ping-pong", "bool", "false",
                        "two warpgroups take the tiles in turn">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def DropCarried : Pass<"warp-drop-carried", "::mlir::ModuleOp"> {
  let summary = "drop what loops carry only to compute it anew";
  let description = [{
    A value that a loop carries, but that nothing needs except the computation of
    its own next value, is dropped. When the loads of a loop are another role's,
    its pointers are such values.

    Input: `scf.for` loops of any functions. Output: the same other values. What
    only computed the dropped ones has no uses left, and is removed.

    ```mlir
    scf.for ... iter_args(%sum = %zero, %pointers = %start) {         // before
      ...
      %next = tile.addptr %pointers, %step
      scf.yield %total, %next
    }

    scf.for ... iter_args(%sum = %zero) {                             // after
      ...
      scf.yield %total
    }
    ```
  }];
  let dependentDialects = ["::mlir::scf::SCFDialect"];
}

def FormClusters : Pass<"warp-form-clusters", "::mlir::ModuleOp"> {
  let summary = "let neighbouring blocks bring what they all need once";
  let description = [{
    A kernel whose neighbouring programs, those whose numbers along the first side
    of the grid follow each other, load the same block of an array runs in
    clusters of `size` thread blocks. Each block brings a part of such a load and
    the copy goes to all; L2 is read once for all of them.

    A load is shared if its place does not depend on the number of the program,
    or only through quotients of it, so that neighbours load the same more often
    than not. In the second case the producer computes the places of all programs
    of the cluster and compares them: where they differ, each block loads for
    itself. Nothing is taken on trust of the order in which a kernel takes its
    tiles (lib/Analysis/Facts/ProgramVariation.h).

    All blocks of a cluster go round their shared rings in step. So the control
    flow around these loads must not depend on the number of the program, and a
    block without a program (the last one of an odd number, say) runs that of the
    cluster's first block again, and stores nothing. Where a kernel loops over its
    tiles itself, that is told by its loop; a second counter of the same tiles
    becomes the loop's.

    Input: rings are made. Output: `warp.cluster_size` on the function. A function
    that is not persistent gets `warp.padded_grid` and three arguments, the sides
    of the grid that was asked for; its first side is rounded up at the launch.

    ```mlir
    %p = tile.program_id x                                              // before
    scf.for %t = %p to %n step %s {
      %m, %i = ... %t
      scf.for %k ... {
        %slot, %a, %b = warp.ring.acquire %ring : !warp.ring<4 x {...}, transactions>
        warp.tma_load %da[%m, %k], %a
        warp.tma_load %db[%i, %k], %b
        warp.ring.commit %slot
      }
    }

    %rank = warp.cluster_rank                                           // after
    %first = arith.subi %p, %rank
    scf.for %t0 = %first to %n step %s {
      %left = arith.subi %n, %t0
      %own = arith.cmpi ugt, %left, %rank
      %t = arith.select %own, (%t0 + %rank), %t0
      %m, %i = ... %t
      %i0 = ... for rank 0
      %i1 = ... for rank 1
      scf.for %k ... {
        %slot, %a, %b = warp.ring.acquire %ring : !warp.ring<4 x {...}, transactions, cluster 2>
        warp.tma_load %da[%m, %k], %a
        %same = arith.cmpi eq, %i0, %i1
        warp.tma_load %db[%i, %k], %b multicast if %same
        warp.ring.commit %slot : !warp.slot<cluster 2>
      }
    }
    ```

    Left alone, with a remark: kernels without such loads, with atomic
    operations, with side effects that give results, and those whose loops or
    conditions around the loads depend on the program.
  }];
  let options = [Option<"size", "size", "unsigned", "2",
                        "thread blocks of a cluster, a power of two from 2 to 16">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def BindTensorMaps : Pass<"warp-bind-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "let the host, or the device, make the tensor maps";
  let description = [{
    Each descriptor that `warp.tma_load` copies from becomes an argument of the
    kernel, behind all others: one for each descriptor and each kind of box. The
    function's `warp.tensor_maps` has a dictionary for each:

    | key | value |
    |---|---|
    | `argument` | the number of the argument |
    | `element` | type of the elements |
    | `box` | sides of a box, outermost dimension first |
    | `swizzle` | bytes over which rows are swizzled: 0, 32, 64 or 128 |
    | `padding` | `zero` or `nan`: what is out of bounds |
    | `base`, `shape`, `strides` | programs for the address, each size and each stride (in elements; that of the last dimension is 1), see lib/Analysis/Facts/HostValues.h: pairs of a step and its value |

    What depends on more than arguments, such as an address that was loaded, each
    role describes by itself where the descriptor stands (`warp.make_tensor_map`),
    in global memory that it acquires where it starts and releases where it ends.
    Copies through the map that was there before are waited for.

    Input: tensor memory accesses name descriptors. Output: they name maps.

    ```mlir
    %d = tile.make_descriptor %base, [%m, %k], [%s] : ...             // before
    warp.tma_load %d[%i, %j], %tile : !tile.desc<128x64xf16>, ...

    warp.tma_load %arg7[%i, %j], %tile : !warp.tensor_map, ...         // after
    ```

    Refused: descriptors that depend on more than the kernel's arguments where
    there are no roles.
  }];
  let options = [
    Option<"check", "check", "bool", /*default=*/"false",
           "assert that arrays which the device describes are aligned">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::warp::WarpDialect"];
}

def PrefetchTileCoords : Pass<"warp-prefetch-tile-coords", "::mlir::ModuleOp"> {
  let summary = "compute the place of a producer's first tile while barriers "
                "are made";
  let description = [{
    What a producer's loop over tiles divides for, to find the place of a tile,
    is computed in front of the loop for the first one and at the end of an
    iteration for the next. What stands in front of the loop is done before
    roles wait for each other.

    Input: roles as they will be lowered. Output: the same values. Left alone:
    loops that would carry more than 6 numbers, or numbers that decide what an
    iteration does, and kernels that say themselves what roles do.

    ```mlir
    scf.for %tile = %first to %end step %step {                      // before
      %row = arith.divsi %tile, %columns : i32
      ...
    }

    %row0 = arith.divsi %first, %columns : i32                       // after
    scf.for %tile = %first to %end step %step iter_args(%row = %row0) {
      ...
      %next = arith.addi %tile, %step : i32
      %row1 = arith.divsi %next, %columns : i32
      scf.yield %row1
    }
    ```
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def StrengthReduceDiv : Pass<"warp-strength-reduce-div", "::mlir::ModuleOp"> {
  let summary = "shift where producers divide by powers of two";
  let description = [{
    What a role behind the first one divides once a program, 32-bit numbers by
    one that is not constant, becomes a branch: if the divisor is a power of two or more than
    what is divided, and neither has a sign, the quotient is shifted for. The
    rest follows from the quotient.

    Input: roles behind the checks, which compare what roles compute. Output:
    the same values. Left alone: divisions in loops within a program, and
    kernels that say themselves what roles do.

    ```mlir
    %row = arith.divui %tile, %columns : i32                         // before

    %row = scf.if %is_short -> (i32) {                               // after
      ...
      %shifted = arith.shrui %tile, %bit : i32
      ...
    } else {
      %quotient = arith.divui %tile, %columns : i32
      scf.yield %quotient
    }
    ```
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::math::MathDialect",
                           "::mlir::scf::SCFDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPASSES
