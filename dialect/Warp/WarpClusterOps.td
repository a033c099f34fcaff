// Clusters: thread blocks that run at once and reach each other's shared memory.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_ClusterRankOp : Warp_Op<"cluster_rank", [Pure]> {
  let summary = "the number of this thread block in its cluster";
  let description = [{
    From 0 to `warp.cluster_size` of the function, less one. The blocks of a
    cluster follow each other along the first side of the grid, so it is the
    remainder of `tile.program_id x` by the size. Without clusters it is 0.

    ```mlir
    %rank = warp.cluster_rank
    ```
  }];
  let results = (outs I32:$result);
  let assemblyFormat = "attr-dict";
}

def Warp_ClusterBarrierOp : Warp_Op<"cluster_barrier", [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let summary = "waits for all threads of the cluster";
  let description = [{
    What any thread of the cluster wrote to shared memory before, of its own block
    or of another, is seen by every thread after; so is that barriers of rings
    have been made. For the block it is a `warp.barrier`, too.

    C1: all threads of the cluster pass equally many, those of all roles. (A
        promise; that each role has one, if any has, is checked.)

    With `rings_only` nothing is seen but the barriers of rings, which are
    ordered by a fence of their own: nobody waits for what is on its way to or
    from memory.

    ```mlir
    warp.cluster_barrier
    warp.cluster_barrier rings_only
    ```
  }];
  let arguments = (ins UnitAttr:$ringsOnly);
  let assemblyFormat = "(`rings_only` $ringsOnly^)? attr-dict";
}
