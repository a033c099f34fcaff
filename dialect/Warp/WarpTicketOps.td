// Programs that take turns, in the order of their numbers.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

class Warp_TicketOp<string mnemonic> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins I32:$place);
  let assemblyFormat = "$place attr-dict";
  let hasVerifier = 1;
}

def Warp_TicketWaitOp : Warp_TicketOp<"ticket_wait"> {
  let summary = "waits until all programs before this one have passed their turns";
  let description = [{
    Programs are numbered along the grid, its first side fastest. All threads of
    the program wait, and what earlier programs wrote before they passed their
    turns is seen after. A second wait costs one read.

    The hardware starts programs in the order of their numbers, so whoever is
    waited for runs. One that does not pass its turn within 20 seconds is taken
    to wait for a later one: the launch ends with a failed assertion.

    `place` is that of the launch among the counters of the module, as the host
    gives it: no two launches that may run at once share one.

    C1: it stands outside of roles.

    ```mlir
    warp.ticket_wait %place
    ```
  }];
}

def Warp_TicketPassOp : Warp_TicketOp<"ticket_pass"> {
  let summary = "lets the next program have its turn";
  let description = [{
    Once all threads of the program have got here. What they wrote before is seen
    by the programs after this one. The last program of the launch leaves the
    counter as it was before the first.

    C1: it stands outside of roles, after a `warp.ticket_wait`.

    ```mlir
    warp.ticket_pass %place
    ```
  }];
}
