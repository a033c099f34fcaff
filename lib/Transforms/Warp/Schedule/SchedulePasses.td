// Passes that decide when wgmma starts and which work overlaps it.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def PipelineChainedDots : Pass<"warp-pipeline-chained-dots", "::mlir::ModuleOp"> {
  let summary = "run the second of two chained products under the next "
                "iteration's work on the first";
  let description = [{
    In a loop whose last product needs in registers what threads compute from an
    earlier product, and adds to a sum that the loop carries, the last product
    is started one iteration late, behind the earlier product of the next
    iteration. The tensor cores then work while the threads do.

    Input: rings are made; products are waited for at once. Output: the same
    values. The first iteration, without its last product, stands before the
    loop, and the last product behind it, both in a branch that is taken where
    the loop runs at all.

    ```mlir
    scf.for ... iter_args(%sum = %zero) {                            // before
      %s = warp.wgmma %q, %k, %zero
      %scores = warp.wgmma_wait %s {pendings = 0 : i32}
      %p = ... %scores
      %slot, %v = warp.ring.wait %ring
      %t = warp.wgmma %p, %v, %sum
      %u = warp.wgmma_wait %t {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %u
    }

    %first = ...                                                     // after
    %last = scf.for ... iter_args(%sum = %zero, %p = %first) {
      %s = warp.wgmma %q, %k, %zero
      %slot, %v = warp.ring.wait %ring
      %t = warp.wgmma %p, %v, %sum
      %scores = warp.wgmma_wait %s {pendings = 1 : i32}
      %next = ... %scores
      %u = warp.wgmma_wait %t {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %u, %next
    }
    %slot, %v = warp.ring.wait %ring
    %t = warp.wgmma %last#1, %v, %last#0
    %u = warp.wgmma_wait %t {pendings = 0 : i32}
    warp.ring.release %slot
    ```

    Left alone: loops whose last product reads both sides from shared memory or
    reads memory that is no slot of its own ring; sums that products of the same
    iteration need; loops for which a thread has too few registers, where both
    sums and the left side of the late product are there at once.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "WarpDialect"];
}

def InterleaveDots
    : Pass<"warp-interleave-dots", "::mlir::ModuleOp"> {
  let summary = "run the products of a loop under the threads' work on each "
                "other's sums";
  let description = [{
    In a loop with several products, some of whose sums threads compute with,
    products whose operands are there are started behind the first one, and each
    is waited for where its sum is used. Products that only add to what the loop
    carries run into the next iteration, whose first wait is theirs too; the
    slots that they read are given back behind it.

    Input: rings are made; products are waited for at once. Output: the same
    values; a loop holds up to two slots of a ring of three or more at once.

    ```mlir
    scf.for ... iter_args(%sum = %zero) {                            // before
      %slot, %q, %d = warp.ring.wait %ring
      %s = warp.wgmma %k, %q, %zero
      %scores = warp.wgmma_wait %s {pendings = 0 : i32}
      %p = ... %scores
      %t = warp.wgmma %v, %d, %zero
      %u = warp.wgmma_wait %t {pendings = 0 : i32}
      %x = ... %p, %u
      %y = warp.wgmma %x, %q, %sum
      %z = warp.wgmma_wait %y {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %z
    }

    %w = scf.if %any {                                               // after
      %none = warp.ring.no_slot
      %y, %last = scf.for ... iter_args(%sum = %zero, %held = %none) {
        %slot, %q, %d = warp.ring.wait %ring
        %s = warp.wgmma %k, %q, %zero
        %t = warp.wgmma %v, %d, %zero
        %scores, %before = warp.wgmma_wait %s, %sum {pendings = 1 : i32}
        warp.ring.release %held if %notFirst
        %p = ... %scores
        %u = warp.wgmma_wait %t {pendings = 0 : i32}
        %x = ... %p, %u
        %y = warp.wgmma %x, %q, %before
        scf.yield %y, %slot
      }
      %z = warp.wgmma_wait %y {pendings = 0 : i32}
      warp.ring.release %last
      scf.yield %z
    } else {
      scf.yield %zero
    }
    ```

    Loads that need nothing of the products are started at the top of the
    iteration.

    Where registers are scarce each iteration waits for its own products, and
    where there are not even enough for these at once, the loop is left alone.

    Left alone, too: loops that `warp-pipeline-chained-dots` has written, or whose sums
    the threads need only behind them, which `warp-defer-wgmma-waits` writes; loops
    that write memory, sums of 16 bits, or products that read memory that is no
    slot of a ring of transactions. Slots of rings of fewer than three are not
    kept into the next iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "WarpDialect"];
}

def HoistEpilogueScalars : Pass<"warp-hoist-epilogue-scalars", "::mlir::ModuleOp"> {
  let summary = "compute what the end of a tile needs besides its sums under "
                "its products";
  let description = [{
    Before and behind a loop of products the tensor cores do nothing. So what
    stands before the loop and is needed only behind it moves there; and what is
    slow behind it and depends on none of the sums, divisions of scalars for the
    place of the tile and loads of few registers, is done right behind the first
    products, which threads would wait for; of a program's only tile in front of
    them, while its first copies are under way. Other loads, as of a bias, are
    started right in front of the wait for the last products.

    Input: as `warp-defer-wgmma-waits` leaves a loop: in a branch, with its first
    iteration in front of it. Output: the same values. Operations move that
    neither write nor go through shared memory; loads only past what writes
    shared memory alone. Where the loop does not run, they are done on the other
    side of the branch.

    ```mlir
    %place = arith.divsi %program, %columns : i32                    // before
    %t = scf.if %any {
      %first = warp.wgmma %a, %b, %zero
      %u = scf.if %more {
      ...
      scf.yield %u
    } else {
      ...
    }
    %scale = tile.load %pointers
    %bias = tile.load %others
    ... %t, %place, %scale, %bias

    %t, %place, %scale, %bias = scf.if %any {                        // after
      %first = warp.wgmma %a, %b, %zero
      %program1 = warp.opaque %program : i32
      %p = arith.divsi %program1, %columns : i32
      %l = tile.load %pointers
      %u, %n = scf.if %more {
        ...
        %m = tile.load %others
        %d = warp.wgmma_wait %s {pendings = 0 : i32}
        ...
      scf.yield %u, %p, %l, %n
    } else {
      ...
    }
    ```

    Left alone: what would take more than 8 registers of a thread altogether
    while the loop runs; loads for which there are no registers beside the sums,
    and those of teams, which do all of this under another team's products.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::mlir::scf::SCFDialect"];
}

def SinkConversions : Pass<"warp-sink-conversions", "::mlir::ModuleOp"> {
  let summary = "change layouts that only the end needs behind loops of "
                "products";
  let description = [{
    A change of layout through shared memory that gives a thread more numbers
    than it had moves behind the loops of products that do not need it, with
    what is computed from it, and in kernels with products in front of the first
    op that needs it: the numbers take registers no longer than they are needed.

    Input: loops are pipelined, shared memory is not allocated. Output: the same
    values. Roles are left alone: their registers are divided already.

    ```mlir
    %n = warp.convert_layout %row                                    // before
    %s = scf.for ... { ... warp.wgmma ... }
    ... %s, %n

    %s = scf.for ... { ... warp.wgmma ... }                          // after
    %n = warp.convert_layout %row
    ... %s, %n
    ```
  }];
}

def MergeWgmma : Pass<"warp-merge-wgmma", "::mlir::ModuleOp"> {
  let summary = "compute neighbouring columns by one instruction";
  let description = [{
    A tile whose columns are no power of two is several tiles, each with a product
    of its own by the same rows. Where their right sides are tiles of one slot
    that lie one behind the other, one instruction computes all of their columns:
    the tensor cores read the rows once, and narrow products no longer wait for
    shared memory.

    Input: products are scheduled and their waits placed. Output: the same
    values; waits count the joined products as one.

    ```mlir
    %s = warp.wgmma %a, %b, %u                                       // before
    %t = warp.wgmma %a, %c, %v

    %s, %t = warp.wgmma_beside %a, [%b, %c], [%u, %v]                // after
    ```

    Left alone: products of which one starts from zeros and the other does not,
    with something between them that has effects, with more than 256 columns
    together or more sums than a thread has registers, or whose right sides no
    single descriptor expresses; and all of a
    function in which a wait leaves products running that are not in front of it.
  }];
  let dependentDialects = ["WarpDialect"];
}

def PinAccumulators : Pass<"warp-pin-accumulators", "::mlir::ModuleOp"> {
  let summary = "keep the sums that loops carry in registers of their own";
  let description = [{
    A tile of sums is dozens or hundreds of registers, which a loop carries and
    each product takes and gives back. As values of LLVM they take a third of
    the time of a compilation. Where products follow each other, their sums stay
    in registers that PTX declares and LLVM does not see: tiles whose encoding is
    `#warp.pinned`, of which no values remain in the LLVM dialect.

    Input: the end of the warp level. Output: the same values, those that are
    needed by others than products, waits and loops taken out by `warp.acc_load`, and
    what enters put in by `warp.acc_store`. A multiplication whose result a loop or a
    product goes on with, as in attention, becomes a `warp.scale`.

    ```mlir
    %s = scf.for ... iter_args(%acc = %zero) -> (tensor<128x256xf32, #l>) {
      %t = warp.wgmma %a, %b, %acc : ..., tensor<128x256xf32, #l>
      %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<128x256xf32, #l>
      scf.yield %u : tensor<128x256xf32, #l>
    }
    // becomes, with #k = #warp.pinned<0, #l>,
    warp.acc_decl [128]
    %k = warp.acc_store %zero : tensor<128x256xf32, #l> -> tensor<128x256xf32, #k>
    %r = scf.for ... iter_args(%acc = %k) -> (tensor<128x256xf32, #k>) {
      %t = warp.wgmma %a, %b, %acc : ..., tensor<128x256xf32, #k>
      %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<128x256xf32, #k>
      scf.yield %u : tensor<128x256xf32, #k>
    }
    %s = warp.acc_load %r : tensor<128x256xf32, #k> -> tensor<128x256xf32, #l>
    ```

    Left alone: sums of fewer than 32 registers; those of which two are needed at
    a time; all of a function with several; and those that something else computes
    with in a loop that carries tiles. Moving them would cost more than it saves.
  }];
  let dependentDialects = ["WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES
