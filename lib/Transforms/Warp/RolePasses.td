// Passes that give warps roles of their own, and what these need: programs that
// stay, stores under the next tile's products, clusters.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_ROLEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_ROLEPASSES

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
    (lib/Transforms/Warp/FormTeams.cpp). Functions whose tiles have no loop of
    their own, or may need each other, or take a number of slots that the team
    which passes them by does not know, are split as without, with a remark
    (lib/Transforms/Warp/TeamPlan.cpp).

    Input: layouts are chosen, shared memory is not allocated; every load from a
    descriptor is one that a producer can issue (lib/Analysis/ProducerSlice.h).
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
    tiles (lib/Analysis/ProgramVariation.h).

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

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_ROLEPASSES
