// Clusters: CTAs that run concurrently and access each other's shared memory.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_ClusterRankOp : Warp_Op<"cluster_rank", [Pure]> {
  let summary = "the rank of this CTA in its cluster";
  let description = [{
    A number from 0 to `warp.cluster_size` of the function minus one. The CTAs
    of a cluster are consecutive along the x dimension of the grid, so it is
    `tile.program_id x` modulo the size. Without clusters it is 0.

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
    Earlier writes of any thread to the shared memory of any CTA of the cluster
    are visible to every thread afterwards, as are initialised ring barriers. It
    is also a `warp.barrier` of the CTA.

    C1: all threads of the cluster, of all roles, pass equally many. (A promise;
        the verifier checks only that either all roles have one or none.)

    With `rings_only` only the barriers of rings become visible. A separate
    fence orders them, so no thread waits for other memory accesses in flight.

    ```mlir
    warp.cluster_barrier
    warp.cluster_barrier rings_only
    ```
  }];
  let arguments = (ins UnitAttr:$ringsOnly);
  let assemblyFormat = "(`rings_only` $ringsOnly^)? attr-dict";
}
