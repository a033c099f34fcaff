// Teams: warpgroups of one role that take its tiles in turn.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

def Warp_TeamLeadsOp : Warp_Op<"team_leads", [Pure]> {
  let summary = "whether this team has the first turn";
  let description = [{
    True in team 0 of the role, false in all others.

    C1: it stands in the role of teams.

    ```mlir
    %leads = warp.team_leads
    ```
  }];
  let results = (outs I1:$result);
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

class Warp_TeamOrderOp<string mnemonic> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead<Warp_SharedResource>, MemWrite<Warp_SharedResource>]>]> {
  let assemblyFormat = "attr-dict";
  let hasVerifier = 1;
}

def Warp_TeamWaitOp : Warp_TeamOrderOp<"team_wait"> {
  let summary = "waits until the team before has passed the turn";
  let description = [{
    All warps of the team wait until those of the team before, that of the last
    one before team 0, have got to a `warp.team_pass` once more than was waited
    for.

    C1: it stands in the role of teams.
    C2: each pass is waited for once before the role ends. (`warp-check-rings`
        proves it.)

    ```mlir
    warp.team_wait
    ```
  }];
}

def Warp_TeamPassOp : Warp_TeamOrderOp<"team_pass"> {
  let summary = "lets the next team have its turn";
  let description = [{
    Nobody waits. See `warp.team_wait`, whose C1 and C2 hold.

    ```mlir
    warp.team_pass
    ```
  }];
}
