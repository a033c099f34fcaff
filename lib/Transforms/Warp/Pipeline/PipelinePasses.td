// Passes that issue loads before their use, most of them iterations earlier.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPASSES

include "mlir/Pass/PassBase.td"

def PipelineLoops : Pass<"warp-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "copy a loop's tiles to shared memory several iterations "
                "early";
  let description = [{
    In an innermost `scf.for`, loads whose tile goes to a `warp.alloc` in each
    iteration become asynchronous copies into the slots of one ring. The copies
    of the first `num-stages - 1` iterations are issued before the loop. Each
    iteration:
    1. waits for the oldest copies;
    2. passes the only barrier;
    3. issues the copies of the iteration `num-stages - 1` ahead, while its first
       `warp.wgmma` runs, if it has one;
    4. computes.

    Pointers, masks and carried values that addresses depend on are computed a
    second time, early. Ops that only the loads needed are removed. Loads that
    addresses depend on, of an index or the page of a table, are issued one
    iteration earlier still, so that no copy waits for them. Past the last
    iteration they are masked off. A few scalars that depend on them and that the
    loop uses itself are forwarded to their iteration.

    `tile.num_stages` on a loop overrides the option. If shared memory is short,
    a ring gets fewer slots, but at least two.

    Under two conditions each of several `warp.mma` has a ring of one slot for
    its operands, which is refilled after it:
    1. Two slots leave no memory for a second CTA, but one does.
    2. All loads are operands of `warp.mma` that do not add to each other.

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

    Left alone, with a remark:
    1. Loops that may write the data loaded early, or that learn from an atomic
       operation of a write elsewhere.
    2. Volatile loads, and loads whose masked-off elements are not zero.
    3. Loads with fewer than 4 bytes that are contiguous in both memories.
    4. Loads whose addresses depend on volatile loads, on memory that the loop
       changes, or on branches in it.
    5. Memory that is written again.
    6. Rings of which not even two slots fit.

    A tile that threads would store only to read it back in the same layout stays
    in registers then.
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "3",
                        "slots of a ring; 1 pipelines only loops with a hint">,
                 Option<"limit", "limit", "int64_t",
                        "::tilewright::Occupancy().getMaxSharedBytes()",
                        "bytes of shared memory that one block may use">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def PrefetchLoads : Pass<"warp-prefetch-loads", "::mlir::ModuleOp"> {
  let summary = "load small tiles of a loop with dots one iteration early";
  let description = [{
    In an `scf.for` with tensor core dots, loads of a few registers per thread,
    such as scales and row sums, are issued at the start of the previous
    iteration and carried in registers. Their addresses are computed a second
    time, one iteration early. Past the last iteration the loads are masked off.

    Input: loads that can be copied into rings are. Output: the same loops, which
    carry more values.

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

    Left alone:
    1. Operands that go to shared memory unchanged. In registers they would lower
       the occupancy.
    2. Loads that arrive while wgmmas and threads both compute
       (`warp-interleave-dots`).
    3. Volatile loads, and loads after assertions.
    4. Loops that may write the loaded data, or that learn from an atomic
       operation of a write elsewhere.
    5. Addresses that depend on branches of the loop or on memory it changes.
    6. Loads that would leave too few registers.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: as many as it can "
                        "have">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def HoistLoads : Pass<"warp-hoist-loads", "::mlir::ModuleOp"> {
  let summary = "start loads before layout conversions that wait for memory";
  let description = [{
    In functions without dots, loads of a few registers move to before a layout
    conversion of loaded data through shared memory, together with their
    addresses and masks. The conversion waits for its data, and no op after its
    barriers starts earlier. No op between them may write memory or be a loop.

    Input: loops are pipelined, shared memory is not allocated. Output: the same
    values.

    ```mlir
    %x = tile.load %p                                                // before
    %y = warp.convert_layout %x
    %z = tile.load %q

    %x = tile.load %p                                                // after
    %z = tile.load %q
    %y = warp.convert_layout %x
    ```
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPASSES
