// The pass that proves that rings are used as their ops promise.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES

include "mlir/Pass/PassBase.td"

def CheckRings : Pass<"warp-check-rings", "::mlir::ModuleOp"> {
  let summary = "verify the use of rings, wgmma, fences and shared memory";
  let description = [{
    Walks all paths through each role: both regions of branches, and loops until
    their states repeat. The state on a path has the held slots, the pending copies
    and wgmmas, and the memory that lacks a fence. Shares no code with the passes
    that insert synchronization, so that each tests the other. Errors name the rule
    that is broken:

    | rule | |
    |---|---|
    | held slot | A slot is read only between its wait and its release, and filled only between its acquire and its commit. Both pairs are complete on every path. Roles end without held slots. |
    | in order | Slots are committed and released in the order in which they are taken. An index counts 0, 1, ..., N - 1, 0. |
    | filled once | One `warp.tma_load` fills each tile of a slot of transactions. Tiles of a slot of `cp.async` are copied before they are read. |
    | slot comes | No role waits for a slot that only it could provide. |
    | in step | For any trip counts, the readers of a ring wait for as many slots as are filled, and no role deadlocks. So loops and branches of two roles must be provably the same. Each slot is for one ping-pong group of a role; the others skip it. Each `warp.pingpong_pass` has a wait. |
    | copies arrived | The wait for a slot of `cp.async` leaves few enough groups pending. Copies that are not predicated have a wait before the end. |
    | wgmma done | Before a slot is released, memory is written or a role ends, the wgmmas that read the memory or that the role has started are waited for. |
    | accumulators untouched | Until then only wgmmas, waits and loops use their accumulators. |
    | fence before release | A fence comes between reads by threads of a slot that copies fill and its release. |
    | fence before wgmma | A fence and then a barrier come between a write by threads, or a copy of `cp.async`, and a wgmma that reads it. |
    | stores done | A `warp.tma_store_wait` and a barrier come between a `warp.tma_store` and other writes to its buffer, or the end of the role. Its copies have arrived before an atomic operation releases them. |
    | cluster meets | A `warp.cluster_barrier` comes between a ring of a cluster and its first use, and after its last use. |
    | memory intact | Nothing overwrites a tile that is read later, or slots that are waited for later. Memory of two roles or ping-pong groups is disjoint, except that the reader of slots may reuse them. |
    | warps meet | Barriers and other collective ops of a role are in uniform control flow. There are enough barriers. wgmmas run on whole warpgroups. |
    | provable | The pass can follow all of this. |

    Input: shared memory is allocated, barriers and fences are inserted. Output: the
    same, unchanged.

    Refused: ops that break a rule, at their location.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_CHECKRINGS_CHECKRINGSPASSES
