// Passes that allocate shared memory, order its accesses, and check both.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES

include "mlir/Pass/PassBase.td"

def AllocateShared : Pass<"warp-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "assign offsets in shared memory";
  let description = [{
    Ops whose lifetimes are disjoint share memory. Larger pieces get their offsets
    first, each the lowest one that is free during its lifetime.

    If one role fills a ring and another one reads it, the reader can reuse the
    slots after its last op with them. By then it has waited for all slots. This
    does not apply if a loop leads back to the ring. The barriers of the ring keep
    their offsets.

    A role with ping-pong groups has a separate copy of its memory for each group.
    `warp.pingpong_bytes` on `warp.specialize` is the distance of the copies.

    The only ring of prefetched copies of a kernel gets more slots, up to eight, as
    long as occupancy does not drop. Further slots are *extra*: they come after the
    fixed memory of the function and exist if the launch provides it.
    `warp.extra_slots` on the ring gives their number, their offset, and the memory
    that they need. `warp.extra_size` on the function is that memory beyond
    `warp.shared_size`.

    Input: any `warp` functions. Output: `warp.shared_offset` on each op that
    needs shared memory, `warp.shared_size` on each function.

    ```mlir
    %1 = warp.convert_layout %0 : ...                                   // before
    %1 = warp.convert_layout %0 {warp.shared_offset = 0 : i32} : ...    // after
    ```

    Refused: more than `limit` bytes, with the amount, the limit and the largest
    ops.
  }];
  let options = [Option<"limit", "limit", "int64_t",
                        "::tilewright::Occupancy().getMaxSharedBytes()",
                        "bytes that one CTA may use">,
                 Option<"target", "target", "std::string", "\"sm_90\"",
                        "name of the GPU, for the error message">];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def InsertBarriers : Pass<"warp-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "insert barriers before conflicting memory accesses";
  let description = [{
    Tracks pending accesses, those without a barrier since, along all paths and
    around loops. Puts a `warp.barrier` before an op that conflicts with one. If a
    loop conflicts only with accesses before it, the barrier comes before the loop.

    Accesses to global memory are tracked, too, because a thread may read the
    writes of another thread of its program. Two accesses conflict under three
    conditions (lib/Analysis/Memory/GlobalHazards.h):
    1. one of them writes;
    2. both may access the same array;
    3. different threads may access the same element.
    Tiles that advance without overlap from iteration to iteration need no barrier,
    nor does an element that one thread reads and writes. If the conflict depends on
    a distance of rows that is known only at run time, a conditional guards the
    barrier.

    Input: shared memory is allocated. Output: no two conflicting accesses
    without a barrier on every path between them, as `warp-check-barriers`
    proves of shared memory on its own.

    ```mlir
    warp.local_store %t, %m : ...    // before
    %u = warp.local_load %m : ...

    warp.local_store %t, %m : ...    // after
    warp.barrier
    %u = warp.local_load %m : ...
    ```

    Refused: nothing. Existing barriers are preserved and count.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::warp::WarpDialect"];
}

def InsertProxyFences : Pass<"warp-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "make stores to shared memory visible to the tensor cores";
  let description = [{
    Puts a `warp.proxy_fence` after stores to tiles that a `warp.wgmma` reads. It
    comes after the last of several stores without a wgmma between them, and before
    the barrier that precedes the wgmma.

    Also puts a fence before the release of a slot of a ring of transactions that
    threads have read. The arrival alone does not order their reads before the
    copies that refill the slot. If the values are stored right away, the release
    moves after the fence of these stores.

    Input: barriers are inserted. Output: a fence between a store to an operand of
    `warp.wgmma` and the barrier before it, and between a `warp.local_load` from
    such a slot and its release.

    ```mlir
    %m = warp.alloc %t : ...    // before
    warp.barrier
    %d = warp.wgmma %m, ...

    %m = warp.alloc %t : ...    // after
    warp.proxy_fence
    warp.barrier
    %d = warp.wgmma %m, ...
    ```

    Refused: nothing.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def CheckBarriers : Pass<"warp-check-barriers", "::mlir::ModuleOp"> {
  let summary = "refuse conflicting accesses to shared memory without a "
                "barrier between them";
  let description = [{
    Searches from each access along all paths without a barrier for a conflicting
    access. Shares no code with `warp-insert-barriers`, so that each tests the other.

    Input: shared memory is allocated. Output: the same, unchanged.

    Refused: two accesses that race, with both locations.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES
