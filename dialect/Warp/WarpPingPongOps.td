// Teams: warpgroups of one role that take its tiles in turn.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_PingPongLeadsOp : Warp_Op<"pingpong_leads", [Pure]> {
  let summary = "whether this team has the first turn";
  let description = [{
    True in team 0 of the role, false in all others.

    C1: it stands in the role of teams.

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
  let summary = "waits until the team before has passed the turn";
  let description = [{
    All warps of the team wait until those of the team before, that of the last
    one before team 0, have got to a `warp.pingpong_pass` once more than was waited
    for.

    C1: it stands in the role of teams.
    C2: each pass is waited for once before the role ends. (`warp-check-rings`
        proves it.)

    ```mlir
    warp.pingpong_wait
    ```
  }];
}

def Warp_PingPongPassOp : Warp_PingPongOrderOp<"pingpong_pass"> {
  let summary = "lets the next team have its turn";
  let description = [{
    Nobody waits. See `warp.pingpong_wait`, whose C1 and C2 hold.

    ```mlir
    warp.pingpong_pass
    ```
  }];
}
