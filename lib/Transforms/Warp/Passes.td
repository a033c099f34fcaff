// Passes from `warp` to `warp`: layouts are chosen.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES

include "lib/Transforms/Warp/ProductPasses.td"
include "lib/Transforms/Warp/SharedMemoryPasses.td"
include "mlir/Pass/PassBase.td"

def OrderPrograms : Pass<"warp-order-programs", "::mlir::ModuleOp"> {
  let summary = "let programs take turns where their order makes a difference";
  let description = [{
    In kernels with atomics that depend on the order of programs, as sums of
    floats and those whose results are used do, every atomic waits for the
    program's turn, and programs pass it when they end: from its first atomic on
    a program runs alone. `warp.ordered` on the function and on its atomics says
    so; `warp.by_element` marks those whose elements may share an address that
    the order of elements then makes a difference to. The function gets one more
    argument, the place of the launch among the counters.

    Input: blocks have sides of powers of two, layouts are not chosen. Kernels
    without such atomics are left as they are.

    ```mlir
    tile.func @sum(%p: !tile.ptr<f32>, %x: f32) {                    // before
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
      tile.return
    }

    tile.func @sum(%p: !tile.ptr<f32>, %x: f32, %place: i32)          // after
        attributes {warp.ordered} {
      warp.wait_turn %place
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.ordered} : !tile.ptr<f32>
      warp.pass_turn %place
      tile.return
    }
    ```

    Refuses such atomics in roles, of which several run at once.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def RelaxSpins : Pass<"warp-relax-spins", "::mlir::ModuleOp"> {
  let summary = "release once what programs that wait for others have done";
  let description = [{
    A loop that does nothing but an atomic operation on one place until the result
    is what it waits for, as for a lock or a flag, writes nothing that an
    operation with release semantics would have to come behind but what was
    written in front of the loop. So a barrier with `release` stands there, and
    the operation goes round without: a release takes as long as the operation
    itself, and the lock is free meanwhile.

    Input: operations are as the kernel says. Output: the same order for those
    that acquire what the loop writes.

    ```mlir
    scf.while : () -> () {                                            // before
      %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
      ...
    }

    warp.barrier release gpu                                          // after
    scf.while : () -> () {
      %old = tile.atomic_cas acquire gpu %lock, %zero, %one : !tile.ptr<i32>
      ...
    }
    ```

    Left alone: operations on tiles, loops that access memory otherwise or change
    the place, programs that take turns.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def LoadAhead : Pass<"warp-load-ahead", "::mlir::ModuleOp"> {
  let summary = "load small tiles of a loop with products one iteration ahead";
  let description = [{
    In an `scf.for` with products of tensor cores, loads of a few registers for
    each thread, such as scales and sums of rows, are issued at the start of the
    iteration before and carried in registers. Their addresses are computed a
    second time, one iteration ahead; behind the last iteration they are masked
    off.

    Input: what can be copied into rings is. Output: the same loops, which carry
    more.

    ```mlir
    scf.for %i = %lb to %ub step %s iter_args(%acc = %zero) {        // before
      %scale = tile.load %p
      ... warp.mma ...
    }

    %first = tile.load %p0, %runs                                    // after
    scf.for %i = %lb to %ub step %s iter_args(%acc = %zero, %scale = %first) {
      %next = tile.load %p1, %goes_on
      ... warp.mma ...
    }
    ```

    Left alone: operands that go to shared memory as they are, for carried they
    leave fewer programs to a multiprocessor; loads that arrive under products
    which run while threads compute (warp-interleave-products); volatile loads, loads behind assertions, loops that may write
    what is loaded or learn from an atomic operation that others did, addresses
    that depend on branches of the loop or on what it changes in memory, and what
    would leave too few registers.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: as many as it can "
                        "have">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def PipelineLoops : Pass<"warp-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "load what a loop brings to shared memory several iterations "
                "ahead";
  let description = [{
    In an innermost `scf.for`, loads whose tile goes to a `warp.alloc` in each
    iteration become asynchronous copies into the slots of one ring. The copies
    of the first `num-stages - 1` iterations are issued before the loop; each
    iteration waits for the oldest copies, passes the one barrier, issues those
    of the iteration `num-stages - 1` ahead, under its first `warp.wgmma` if it has
    one, and computes. The pointers, masks and
    carried values that addresses depend on are computed a second time, ahead of
    the loop; what nothing but the loads needed goes. Loads among them, of an
    index or of the page of a table, are issued one iteration further ahead, so
    that no copy waits for them, and are masked off behind the last iteration.
    `tile.num_stages` on a loop stands above the option. Where shared memory is short a ring gets fewer
    slots, but at least two. Where two leave no memory for a second program, but
    one does, and what is loaded are operands of several `warp.mma` that do not
    add to each other, each of these has a ring of one slot, filled again behind
    it.

    Input: layouts are chosen, shared memory is not allocated. Output: every
    ring's slots are acquired, committed, waited for and released in their
    order; nothing is in flight when a loop ends.

    ```mlir
    scf.for %i = %lb to %ub step %s {                            // before
      %t = tile.load %ptrs, %mask
      %m = warp.alloc %t
      ... warp.local_load %m ...
    }

    %ring = warp.ring                                            // after, 2 stages
    %e, %first = warp.ring.acquire %ring[%c0]
    warp.async_copy %ptrs0, %first mask %mask0 if %any
    warp.ring.commit %e
    scf.for %i = %lb to %ub step %s iter_args(%r, %w, %left, ...) {
      %f, %m = warp.ring.wait %ring[%r] pending 0
      warp.barrier
      %e1, %next = warp.ring.acquire %ring[%w]
      warp.async_copy %ptrs1, %next mask %mask1 if %more
      warp.ring.commit %e1
      ... warp.local_load %m ...
      warp.ring.release %f
    }
    ```

    Left alone, with a remark: loops that may write what is loaded ahead, or
    learn from an atomic operation that others did; loads that are volatile,
    whose masked-off elements are not zero, that have fewer than 4 bytes side by
    side in both memories, or whose addresses depend on volatile loads, on what
    the loop changes in memory, or on branches in it; memory that is written
    again; rings of which not even two slots fit. What threads would store only
    to read it again as they held it stays in registers then.
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "3",
                        "slots of a ring; 1 pipelines only loops with a hint">,
                 Option<"limit", "limit", "int64_t", "232448",
                        "bytes of shared memory that one block may use">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

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
  }];
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

    Output: the same other values. What only computed the dropped ones has no uses
    left, and is removed.

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
    | `base`, `shape`, `strides` | programs for the address, each size and each stride (in elements; that of the last dimension is 1), see lib/Analysis/HostValues.h: pairs of a step and its value |

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

def ReportTraffic : Pass<"warp-report-traffic", "::mlir::ModuleOp"> {
  let summary = "say how wide accesses are and what conversions of layouts cost";
  let description = [{
    Changes nothing. Remarks say of each load and store of a tile how many bytes
    a thread moves at once, and which would be possible if more were known of the
    addresses; of each `warp.convert_layout` that moves data between threads how
    it does; and of each loop how much an iteration computes and loads. Does nothing where nobody listens to remarks.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    %x = tile.load %p : tensor<128x!tile.ptr<f16>, #l>  // loads 8 bytes at a time
    ```

    Refused: nothing.
  }];
}

def CheckRegisters : Pass<"warp-check-registers", "::mlir::ModuleOp"> {
  let summary = "find loops whose tiles do not fit the registers of a thread";
  let description = [{
    Changes nothing. The tiles of floats that a loop carries are in registers all
    through it. Where those of one loop alone take more registers than a thread of
    its role has, the code spills them in each iteration, and the assembler takes
    seconds to find out how. A remark says so, or an error with `refuse`, which is
    for those who have other configurations to try. What no assembler takes, an
    instruction of more sums than a thread has registers, is an error always.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    // 4 warps: 512 registers of a thread.
    scf.for ... iter_args(%acc = %zero) -> tensor<256x256xf32, #l>
    ```

    Refused: such products, and such loops where it is asked for.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: what the GPU has">,
                 Option<"refuse", "refuse", "bool", "false",
                        "fail instead of a remark">];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
