// Passes that issue loads of a loop iterations before their use.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PIPELINE_PIPELINEPASSES

include "mlir/Pass/PassBase.td"

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
    A few numbers that follow from them and that the loop needs itself are carried
    to their iteration.
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

def PrefetchLoads : Pass<"warp-prefetch-loads", "::mlir::ModuleOp"> {
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
    which run while threads compute (warp-interleave-dots); volatile loads, loads behind assertions, loops that may write
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

def HoistLoads : Pass<"warp-hoist-loads", "::mlir::ModuleOp"> {
  let summary = "start loads in front of changes of layout that wait for memory";
  let description = [{
    In functions without products, loads of a few registers, with their
    addresses and masks, go in front of a change of layout through shared memory
    of what was loaded: it waits for that, and nothing behind its barriers starts
    before. Nothing that writes memory may stand in between, and no loop.

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
