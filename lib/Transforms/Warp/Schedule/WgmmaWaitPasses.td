// Passes that move the waits for wgmma.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES

include "mlir/Pass/PassBase.td"

def DeferWgmmaWaits : Pass<"warp-defer-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "overlap the dots of an iteration with the next iteration";
  let description = [{
    In some loops all dots add to accumulators that nothing else needs until the
    loop ends. One wait after the last wgmma then leaves those of the running
    iteration in flight, and their slots are released one iteration later. The
    first iteration, which has no earlier wgmma, is peeled. Its wgmma needs no
    cleared accumulators, and `warp-hoist-epilogue-scalars` can move ops to after
    it. Accumulators of more than 128 registers leave none for such ops. The loop
    then starts with cleared accumulators and no slots (`warp.ring.no_slot`).

    If threads copy into the ring themselves (`async_groups`), the slot to fill
    is the one that the previous iteration's wgmmas read. The copies move to
    after the wait for these wgmmas. A barrier precedes them, since wgmmas of
    other warps read the slot too.

    Input: rings exist, including those of `warp-pipeline-loops`. Output: the
    same values; a loop holds up to two slots of a ring at once.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %slot, %a, %b = warp.ring.wait %ring
      %s = warp.wgmma %a, %b, %acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %d
    }

    %t = scf.if %any {                                               // after
      %slot, %a, %b = warp.ring.wait %ring
      %first = warp.wgmma %a, %b, %zero
      %u = scf.if %more {
        %s, %last = scf.for ... iter_args(%acc = %first, %held = %slot) {
          %next, %a, %b = warp.ring.wait %ring
          %s = warp.wgmma %a, %b, %acc
          %d = warp.wgmma_wait %s {pendings = 1 : i32}
          warp.ring.release %held
          scf.yield %d, %next
        }
        %d = warp.wgmma_wait %s {pendings = 0 : i32}
        warp.ring.release %last
        scf.yield %d
      } else {
        %d = warp.wgmma_wait %first {pendings = 0 : i32}
        warp.ring.release %slot
        scf.yield %d
      }
      scf.yield %u
    } else {
      warp.unlikely
      scf.yield %zero
    }
    ```

    Operands that threads compute, such as weights that are converted to f16,
    are computed while the previous iteration's wgmmas run. One wait for these
    precedes the first store of the next operands. Their memory is allocated
    before the loop.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %words = warp.local_load %tile
      %m = warp.alloc %f16
      %s = warp.wgmma %a, %m, %acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32}
      scf.yield %d
    }

    %m = warp.alloc                                                  // after
    scf.for ... iter_args(%acc = %first) {
      %words = warp.local_load %tile
      %d = warp.wgmma_wait %acc {pendings = 0 : i32}
      warp.local_store %f16, %m
      %s = warp.wgmma %a, %m, %d
      scf.yield %s
    }
    ```

    A `warp.pingpong_pass` right after the loop moves to before the wait for the
    last wgmmas, on each path, so that the next ping-pong group may begin.

    No wgmma is in flight where control flow joins. Otherwise ptxas assumes that
    it may be in flight on the other path too, and serialises all (C7514). So a
    loop of an explicit kernel that leaves wgmmas in flight moves into such a
    branch, together with the wait after it.

    Left alone:
    1. Accumulators that the loop uses itself, and those of 16 bits.
    2. wgmmas that read registers, or memory that the loop stores to otherwise.
    3. Rings of one slot, and rings that a loop fills in a branch or repeatedly.
    4. Computed operands, if the tiles do not fit into shared memory at disjoint
       addresses.
    5. Operands that threads load and store unchanged. They leave no work to
       overlap, and loads of a second operand would come after the wait.
  }];
  let options = [Option<"limit", "limit", "int64_t",
                        "::tilewright::Occupancy().getMaxSharedBytes()",
                        "bytes of shared memory that one block may use">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def MergeWgmmaWaits : Pass<"warp-merge-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "wait once for consecutive wgmmas";
  let description = [{
    A tile whose number of columns is not a power of two is several tiles, each
    with its own wgmma. Threads may use the results of each iteration, for
    example to accumulate outside of the tensor cores. One wait after the last of
    these wgmmas then replaces all. The tensor cores continue from one to the
    next, and `warp-merge-wgmma` may merge them.

    Input: waits are inserted. Output: the same values. Operands do not change
    until the wait, and no accumulator is used before it.

    ```mlir
    %s = warp.wgmma %a, %b, %zero                                    // before
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    %u = warp.wgmma %a, %c, %zeros
    %v = warp.wgmma_wait %u {pendings = 0 : i32}

    %s = warp.wgmma %a, %b, %zero                                    // after
    %u = warp.wgmma %a, %c, %zeros
    %t, %v = warp.wgmma_wait %s, %u {pendings = 0 : i32}
    ```

    Left alone:
    1. Waits that leave wgmmas in flight.
    2. Waits with a use of an accumulator between them.
    3. Waits with effects other than wgmmas between them, such as ring waits or
       releases.
    4. Waits of explicit kernels.
  }];
  let dependentDialects = ["WarpDialect"];
}

def FillWgmmaWaits : Pass<"warp-fill-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "overlap work that does not depend on a wgmma with it";
  let description = [{
    These ops move to between the start of a block's wgmmas and their wait:
    1. Stores to global memory that precede the wgmmas, with the ops computed for
       them alone.
    2. Layout conversions after the wait of values that precede the wgmmas.

    A store may need a tile in another layout that the wgmmas have in shared
    memory. It is then read back from there. A wgmma that adds to the
    accumulator of another one starts without a wait for that one. Threads wait
    for their own copies after the stores of operands, which need a barrier too.

    Input: rings exist, loops are pipelined, shared memory is not allocated.
    Output: the same values, the same order of accesses that may overlap.

    ```mlir
    %m = warp.alloc %h                                               // before
    %r = warp.convert_layout %h
    tile.store %p, %r
    %s = warp.wgmma %a, %m, %zero
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    %v = warp.convert_layout %loaded

    %m = warp.alloc %h                                               // after
    %s = warp.wgmma %a, %m, %zero
    %v = warp.convert_layout %loaded
    %r = warp.local_load %m
    tile.store %p, %r
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    ```

    Left alone:
    1. Stores that an op in between may overlap, or that barriers order.
    2. Stores from the registers of accumulators.
    3. Explicit kernels.
  }];
  let dependentDialects = ["WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES
