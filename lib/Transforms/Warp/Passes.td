// Passes from `warp` to `warp`: layouts are chosen.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES

include "mlir/Pass/PassBase.td"

def AllocateShared : Pass<"warp-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "give every use of shared memory its place";
  let description = [{
    Memory of ops that are never alive at once is shared between them. The
    larger a piece, the earlier it is placed, at the lowest offset that is free
    while it lives.

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
  let summary = "make warps wait before they touch shared memory that others "
                "may be using";
  let description = [{
    Follows the accesses that no barrier has ended yet along all paths, around
    loops too, and puts a `warp.barrier` before an op that conflicts with one.

    Input: shared memory is allocated. Output: no two conflicting accesses
    without a barrier on every path between them, as `warp-check-barriers`
    proves on its own.

    ```mlir
    warp.local_store %t, %m : ...    // before
    %u = warp.local_load %m : ...

    warp.local_store %t, %m : ...    // after
    warp.barrier
    %u = warp.local_load %m : ...
    ```

    Refused: nothing. Barriers that stand already are kept and counted on.
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

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
