// Passes that map tiles to CTAs and split the warps of a CTA into roles:
// persistence, producer and consumers, clusters.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_SPECIALIZEPASSES

include "mlir/Pass/PassBase.td"

def MakePersistent : Pass<"warp-make-persistent", "::mlir::ModuleOp"> {
  let summary = "let each CTA run several programs of the grid";
  let description = [{
    A kernel that loads from descriptors gets a loop over the programs of the
    grid. The launch has as many CTAs as run at once. So the loads of the
    next program start during the epilogue of the previous one, and the setup runs
    once. Three new arguments at the end are the extents of the grid, and
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

    Left alone:
    1. kernels without such loads;
    2. kernels with atomic operations, because programs may wait for each other
       through them;
    3. kernels with loops whose length depends on the program, because the
       hardware balances them better;
    4. kernels in which some programs, scattered over the grid, have no dots: a
       condition compares two values that are both computed from the program id.

    With `single-wave` no SM is to run two programs of a launch, so the loop is
    pure overhead. Kernels with such loads then get `warp.single_wave` instead.
  }];
  let options = [Option<"singleWave", "single-wave", "bool", "false",
                        "all programs of a launch run at once, each on its own "
                        "SM">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def StageStores : Pass<"warp-stage-stores", "::mlir::ModuleOp"> {
  let summary = "let stores share one staging buffer, and wait for it at the end";
  let description = [{
    TMA stores with the same number of parts share one staging buffer, allocated
    before the outermost loop that contains a store. So no store waits for its own
    copies: the next store does before it writes the buffer, and the end of the
    program. Meanwhile the next loop runs. Copies must arrive before an atomic
    operation by which the program releases its writes.

    Input: layouts are chosen, each store has its own buffer. Output: the same,
    with a buffer that lives as long as its stores.

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

    In functions of several blocks each store has its own wait.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def Specialize : Pass<"warp-specialize", "::mlir::ModuleOp"> {
  let summary = "move the loads from descriptors to a producer warp";
  let description = [{
    A function that loads from descriptors is split into two roles. The *consumer*
    has the warps of the layouts and runs the function without those loads. Before
    the first use of a tile it waits for a ring slot, and it releases the slot
    after the last use. The *producer*, one warp, runs the control flow around the
    loads and fills the slots.

    - Operands of the same dot share a slot.
    - A ring has as many slots as `tile.num_stages` of the enclosing loop, or the
      option, says. If shared memory is short it has fewer, and tiles that are
      loaded once, one after the last use of the other, share a ring.
    - If the registers of accumulators alone prevent two CTAs of one warpgroup per
      SM, the producer is a warpgroup that releases registers.
    - The consumer forwards results of atomic operations that the producer needs or
      has to wait for, each through its own ring.
    - Loads before an atomic operation that releases memory arrive before it.

    With `ping-pong` the consumers are two groups of one warpgroup, which alternate
    between the tiles of the loop at the top of the function
    (lib/Transforms/Warp/Specialize/FormPingPong.cpp). Some functions are split
    without it, with a remark
    (lib/Transforms/Warp/Specialize/PingPongPlan.cpp):
    1. tiles have no loop of their own;
    2. tiles may depend on each other;
    3. the group that skips a tile cannot tell its number of slots.

    Input: layouts are chosen, shared memory is not allocated; a producer can issue
    every load from a descriptor (lib/Analysis/SharedMemory/ProducerSlice.h).
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
                 Option<"limit", "limit", "int64_t",
                        "::tilewright::Occupancy().getMaxSharedBytes()",
                        "bytes of shared memory that one CTA may use">,
                 Option<"pingPong", "ping-pong", "bool", "false",
                        "two warpgroups alternate between the tiles">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def DropCarried : Pass<"warp-drop-carried", "::mlir::ModuleOp"> {
  let summary = "drop loop-carried values that only compute themselves";
  let description = [{
    Drops a loop-carried value that only the computation of its own next value
    uses. Pointers are such values after their loads have moved to another role.

    Input: `scf.for` loops of any functions. Output: the other values. Ops without
    uses that computed the dropped ones are erased.

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
  let summary = "let the CTAs of a cluster load shared blocks once";
  let description = [{
    Neighbouring programs are those with consecutive ids along x. If they load the
    same block of an array, the kernel runs in clusters of `size` CTAs. Each CTA
    loads a part of such a block and multicasts it, so L2 is read once per cluster.

    A load is shared if its coordinates do not depend on the program id, or only
    through quotients of it. Neighbours mostly have these in common. In the second
    case the producer computes the coordinates of all programs of the cluster and
    compares them. If they differ, each CTA loads for itself. So correctness does
    not depend on the order in which a kernel takes its tiles
    (lib/Analysis/Facts/ProgramVariation.h).

    All CTAs of a cluster pass the slots of shared rings in lockstep. So the
    control flow around these loads must not depend on the program id. A CTA may
    have no program, such as the last one of an odd number. It repeats the program
    of the first CTA of the cluster and stores nothing. In a persistent kernel the
    loop over tiles determines that; a second counter of the same tiles is replaced
    by the one of the loop.

    Input: rings are made. Output: `warp.cluster_size` on the function. A function
    that is not persistent gets `warp.padded_grid` and three arguments, the extents
    of the grid before padding. The launch rounds extent x up.

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

    Left alone, with a remark:
    1. kernels without such loads;
    2. kernels with atomic operations or other side effects with results;
    3. kernels whose loops or conditions around the loads depend on the program.

    Refused: sizes that are not a power of two from 2 to 16.
  }];
  let options = [Option<"size", "size", "unsigned", "2",
                        "CTAs of a cluster, a power of two from 2 to 16">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def BindTensorMaps : Pass<"warp-bind-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "make tensor maps on the host or the device";
  let description = [{
    Each descriptor that `warp.tma_load` copies from becomes a new last argument of
    the kernel: one for each descriptor and each kind of box. The attribute
    `warp.tensor_maps` of the function has a dictionary for each:

    | key | value |
    |---|---|
    | `argument` | the index of the argument |
    | `element` | type of the elements |
    | `box` | extents of a box, outermost dimension first |
    | `swizzle` | bytes over which rows are swizzled: 0, 32, 64 or 128 |
    | `padding` | `zero` or `nan`: the value out of bounds |
    | `base`, `shape`, `strides` | programs for the address, each size and each stride (in elements; that of the last dimension is 1), see lib/Analysis/Facts/HostValues.h: pairs of a step and its value |

    A descriptor may depend on more than arguments, such as a loaded address. Each
    role then makes the map itself at the descriptor (`warp.make_tensor_map`), in
    global memory that it acquires at its start and releases at its end. It waits
    for copies through the previous map in that memory.

    Input: tensor memory accesses name descriptors. Output: they name maps.

    ```mlir
    %d = tile.make_descriptor %base, [%m, %k], [%s] : ...             // before
    warp.tma_load %d[%i, %j], %tile : !tile.desc<128x64xf16>, ...

    warp.tma_load %arg7[%i, %j], %tile : !warp.tensor_map, ...         // after
    ```

    Refused: descriptors outside of roles that depend on more than the arguments of
    the kernel.
  }];
  let options = [
    Option<"check", "check", "bool", /*default=*/"false",
           "assert that arrays of maps that the device makes are aligned">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::warp::WarpDialect"];
}

def PrefetchTileCoords : Pass<"warp-prefetch-tile-coords", "::mlir::ModuleOp"> {
  let summary = "compute the first tile coordinates of a producer during the "
                "barrier setup";
  let description = [{
    A producer's loop over tiles divides to find the coordinates of a tile. They
    become loop-carried: computed before the loop for the first tile, and at the
    end of an iteration for the next. Ops before the loop run before the roles wait
    for each other.

    Input: roles as they will be lowered. Output: the same values. Left alone:
    1. loops that would carry more than 6 scalars;
    2. loops whose control flow depends on such scalars;
    3. kernels whose source defines the roles.

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
  let summary = "turn divisions of producers by powers of two into shifts";
  let description = [{
    Rewrites 32-bit divisions by a number that is not constant, which roles other
    than the first run once per program. Each becomes a branch, which shifts if
    neither operand is negative and the divisor is a power of two or greater than
    the dividend. The remainder follows from the quotient.

    Input: roles after `warp-check-rings`, which compares the computations of
    roles. Output: the same values. Left alone: divisions in loops within a
    program, and kernels whose source defines the roles.

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
