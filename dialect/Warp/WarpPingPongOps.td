// Ping-pong groups: warpgroups of one role that process its tiles by turns.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_PingPongLeadsOp : Warp_Op<"pingpong_leads", [Pure]> {
  let summary = "whether this ping-pong group has the first turn";
  let description = [{
    True in group 0 of the role, false in all others.

    C1: it is in a role with ping-pong groups.

    ```mlir
    %leads = warp.pingpong_leads
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

class Warp_PingPongOrderOp<string mnemonic> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Warp_PingPongWaitOp : Warp_PingPongOrderOp<"pingpong_wait"> {
  let summary = "waits until the previous ping-pong group has passed the turn";
  let description = [{
    All warps of the group wait for the next `warp.pingpong_pass` of the
    previous group. The last group precedes group 0.

    C1: it is in a role with ping-pong groups.
    C2: each pass has one wait before the role ends. (`warp-check-rings` proves
        it.)

    ```mlir
    warp.pingpong_wait
    ```
  }];
}

def Warp_PingPongPassOp : Warp_PingPongOrderOp<"pingpong_pass"> {
  let summary = "passes the turn to the next ping-pong group";
  let description = [{
    Does not wait. C1 and C2 of `warp.pingpong_wait` apply.

    ```mlir
    warp.pingpong_pass
    ```
  }];
}
