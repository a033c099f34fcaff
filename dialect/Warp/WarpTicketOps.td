// Ticket order: programs run a section in the order of their numbers.

include "dialect/Warp/WarpBase.td"
include "dialect/Warp/WarpResources.td"

class Warp_TicketOp<string mnemonic> : Warp_Op<mnemonic, [
    MemoryEffects<[MemRead, MemWrite]>]> {
  let arguments = (ins I32:$slot);
  let assemblyFormat = "$slot attr-dict";
  let hasVerifier = 1;
}

def Warp_TicketWaitOp : Warp_TicketOp<"ticket_wait"> {
  let summary = "waits until all earlier programs have passed their tickets";
  let description = [{
    Programs are numbered along the grid, x fastest. All threads of the program
    wait. Writes of earlier programs before their `warp.ticket_pass` are visible
    afterwards. A second wait costs one read.

    The hardware starts programs in the order of their numbers, so earlier
    programs are running. If a program does not pass its ticket within 20
    seconds, it is assumed to wait for a later one: the launch ends with a
    failed assertion.

    `slot` is the index of the launch's counter in the module. The host assigns
    it: concurrent launches have different slots.

    C1: it is outside of roles.

    ```mlir
    warp.ticket_wait %slot
    ```
  }];
}

def Warp_TicketPassOp : Warp_TicketOp<"ticket_pass"> {
  let summary = "passes the ticket to the next program";
  let description = [{
    Takes effect when all threads of the program have arrived. Their earlier
    writes are visible to later programs. The last program of the launch resets
    the counter.

    C1: it is outside of roles, after a `warp.ticket_wait`.

    ```mlir
    warp.ticket_pass %slot
    ```
  }];
}
