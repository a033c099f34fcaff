// Passes that allocate shared memory, order its accesses, and check both.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES

include "mlir/Pass/PassBase.td"

def AllocateShared : Pass<"warp-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "give every use of shared memory its place";
  let description = [{
    Memory of ops that are never alive at once is shared between them. The
    larger a piece, the earlier it is placed, at the lowest offset that is free
    while it lives.

    The slots of a ring that one role fills and another one reads are free for
    that one behind the last that it does with them, if no loop leads there
    again: what was filled has all been waited for by then. The ring's barriers
    keep their place.

    What a role of teams needs has a place for each team: `warp.pingpong_bytes` on
    `warp.specialize` says how far they are apart.

    The only ring of a kernel through which copies run ahead gets more slots, up
    to eight, as long as equally many programs fit on a multiprocessor. Slots that
    would take more are *extra*: they lie behind the memory that the function
    always has, and are there where the launch gives it. `warp.extra_slots` on
    the ring says how many, from where on, and with how much memory;
    `warp.extra_size` on the function how much that is beside
    `warp.shared_size`.

    Input: any `warp` functions. Output: `warp.shared_offset` on each op that
    needs shared memory, `warp.shared_size` on each function.

    ```mlir
    %1 = warp.convert_layout %0 : ...                                   // before
    %1 = warp.convert_layout %0 {warp.shared_offset = 0 : i32} : ...    // after
    ```

    Refused: more than `limit` bytes, with the amount, the limit and the ops
    that take most.
  }];
  let options = [Option<"limit", "limit", "int64_t", "232448",
                        "bytes that one block may use">,
                 Option<"target", "target", "std::string", "\"sm_90\"",
                        "name of the GPU, for the error message">];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def InsertBarriers : Pass<"warp-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "make warps wait before they touch memory that others may be "
                "using";
  let description = [{
    Follows the accesses that no barrier has ended yet along all paths, around
    loops too, and puts a `warp.barrier` before an op that conflicts with one.
    Where a loop conflicts only with what comes before it, the barrier stands in
    front of the loop.

    Accesses to global memory are followed, too: a program reads what it wrote,
    whichever of its threads do. Two of them conflict where one writes, both may
    reach the same array, and an element may be another thread's
    (lib/Analysis/Memory/GlobalHazards.h). No barrier stands for tiles that follow each
    other from iteration to iteration, nor for an element that the same thread
    reads and writes.
    Where that goes by the distance of rows, which only the kernel knows, a
    conditional asks whether the barrier is needed.

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

    Refused: nothing. Barriers that stand already are kept and counted on.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::warp::WarpDialect"];
}

def InsertProxyFences : Pass<"warp-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "show stores to shared memory to the tensor cores";
  let description = [{
    Puts a `warp.proxy_fence` behind stores to tiles that a `warp.wgmma` reads:
    behind the last of several that no product parts, before the barrier in front
    of the product.

    One stands as well before a slot of a ring of transactions is given back that
    threads have read: the arrival alone does not order their reads before the
    copies that fill the slot next. Where what was read is stored at once, the
    slot is given back behind the fence of these stores.

    Input: barriers stand. Output: between a store to an operand of `warp.wgmma`
    and the barrier before the product there is a fence, and between a
    `warp.local_load` from such a slot and its release.

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
    Searches, from each access, all ways through the function that pass no
    barrier, for an access in conflict. Shares no code with
    `warp-insert-barriers`, so that each is a test of the other.

    Input: shared memory is allocated. Output: the same, unchanged.

    Refused: a pair of accesses that race, with both places.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORY_SHAREDMEMORYPASSES
