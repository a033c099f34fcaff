// Passes that decide when wgmma starts and which work overlaps it.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES

include "mlir/Pass/PassBase.td"

def PipelineChainedDots : Pass<"warp-pipeline-chained-dots", "::mlir::ModuleOp"> {
  let summary = "overlap the second of two chained dots with the "
                "next iteration's work on the first";
  let description = [{
    Some loops end in a dot whose A operand threads compute in registers from an
    earlier dot, and whose accumulator is loop-carried. The pass starts this last
    dot one iteration late, after the earlier dot of the next iteration. The
    tensor cores then work while the threads do.

    Input: rings exist; each wgmma is waited for at once. Output: the same
    values. The first iteration, without its last dot, precedes the loop. The
    last dot follows it. Both are in a branch that is taken if the loop runs any
    iteration.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %s = warp.wgmma %q, %k, %zero
      %scores = warp.wgmma_wait %s {pendings = 0 : i32}
      %p = ... %scores
      %slot, %v = warp.ring.wait %ring
      %t = warp.wgmma %p, %v, %acc
      %u = warp.wgmma_wait %t {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %u
    }

    %first = ...                                                     // after
    %last = scf.for ... iter_args(%acc = %zero, %p = %first) {
      %s = warp.wgmma %q, %k, %zero
      %slot, %v = warp.ring.wait %ring
      %t = warp.wgmma %p, %v, %acc
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

    Left alone:
    1. Loops whose last dot reads A from shared memory, or reads memory that is
       not a slot of its own ring.
    2. Accumulators that dots of the same iteration need.
    3. Loops for which a thread has too few registers. Both accumulators and A
       of the late dot are live at once.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "WarpDialect"];
}

def InterleaveDots
    : Pass<"warp-interleave-dots", "::mlir::ModuleOp"> {
  let summary = "overlap the dots of a loop with the threads' work on each "
                "other's results";
  let description = [{
    In a loop with several dots, threads compute with the results of some. The
    pass issues dots whose operands are available just after the first one. Each
    is waited for where its result is used. Dots that only add to loop-carried
    accumulators stay in flight into the next iteration. Its first wait covers
    them, and their slots are released after it.

    Input: rings exist; each wgmma is waited for at once. Output: the same
    values; a loop holds up to two slots of a ring of three or more at once.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %slot, %q, %d = warp.ring.wait %ring
      %s = warp.wgmma %k, %q, %zero
      %scores = warp.wgmma_wait %s {pendings = 0 : i32}
      %p = ... %scores
      %t = warp.wgmma %v, %d, %zero
      %u = warp.wgmma_wait %t {pendings = 0 : i32}
      %x = ... %p, %u
      %y = warp.wgmma %x, %q, %acc
      %z = warp.wgmma_wait %y {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %z
    }

    %w = scf.if %any {                                               // after
      %none = warp.ring.no_slot
      %y, %last = scf.for ... iter_args(%acc = %zero, %held = %none) {
        %slot, %q, %d = warp.ring.wait %ring
        %s = warp.wgmma %k, %q, %zero
        %t = warp.wgmma %v, %d, %zero
        %scores, %before = warp.wgmma_wait %s, %acc {pendings = 1 : i32}
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

    Loads that do not depend on dots are issued at the top of the iteration.

    If registers are scarce, each iteration waits for its own dots. If there are
    not even enough for these at once, the loop is left alone.

    Left alone, too:
    1. Loops that `warp-pipeline-chained-dots` has written.
    2. Loops whose results threads need only after the loop. These are for
       `warp-defer-wgmma-waits`.
    3. Loops that write memory, and accumulators of 16 bits.
    4. Dots that read memory other than a slot of a ring of transactions.

    Slots of rings with fewer than three are not kept into the next iteration.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect", "WarpDialect"];
}

def HoistEpilogueScalars
    : Pass<"warp-hoist-epilogue-scalars", "::mlir::ModuleOp"> {
  let summary = "overlap scalar work and loads of the epilogue with dots";
  let description = [{
    The tensor cores idle in prologue and epilogue.
    1. Ops before the loop that are used only after it sink there.
    2. Slow ops of the epilogue that depend on no accumulator move to just after
       the first wgmmas. These are scalar divisions for the coordinates of the
       tile, and loads of few registers. If the program has a single tile, they
       move to before the first wgmmas, where they overlap the first copies.
    3. Other loads, such as of a bias, start just before the wait for the last
       wgmmas.

    Input: loops as `warp-defer-wgmma-waits` leaves them, in a branch, with the
    first iteration peeled. Output: the same values. Ops that move neither write
    nor use shared memory. Loads move only past ops that write nothing but
    shared memory. If the loop does not run, the ops are in the other region of
    the branch.

    ```mlir
    %row = arith.divsi %program, %columns : i32                    // before
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
    ... %t, %row, %scale, %bias

    %t, %row, %scale, %bias = scf.if %any {                        // after
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

    Left alone:
    1. Results that would take more than 8 registers of a thread in all while
       the loop runs.
    2. Loads for which there are no registers next to the accumulators.
    3. Loads in ping-pong groups, where another group's dots overlap them.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::mlir::scf::SCFDialect"];
}

def SinkConversions : Pass<"warp-sink-conversions", "::mlir::ModuleOp"> {
  let summary = "sink layout conversions that only the epilogue needs below "
                "loops of dots";
  let description = [{
    A layout conversion through shared memory may give a thread more elements
    than it had. Such a conversion sinks below the loops of dots that do not use
    it, together with the ops computed from it. In kernels with dots it also
    sinks to its first user. Its result then takes registers no longer than it is
    needed.

    Input: loops are pipelined, shared memory is not allocated. Output: the same
    values. Roles are left alone: their register budgets are fixed already.

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
  let summary = "compute adjacent columns by one instruction";
  let description = [{
    A tile whose number of columns is not a power of two is several tiles, each
    with its own wgmma and the same A. If their B operands are adjacent tiles of
    one slot, one instruction computes all columns. The tensor cores then read A
    once, and narrow wgmmas no longer wait for shared memory.

    Input: wgmmas are scheduled and their waits inserted. Output: the same
    values; waits count merged wgmmas as one.

    ```mlir
    %s = warp.wgmma %a, %b, %u                                       // before
    %t = warp.wgmma %a, %c, %v

    %s, %t = warp.wgmma %a, [%b, %c], [%u, %v]                // after
    ```

    Left alone:
    1. A wgmma that starts from zeros next to one that does not.
    2. Pairs with an op between them that has effects.
    3. Merged wgmmas of more than 256 columns, or with more accumulators than a
       thread has registers.
    4. B operands that no single descriptor expresses.
    5. Functions in which a wait leaves wgmmas in flight that do not precede it
       in its block.
  }];
  let dependentDialects = ["WarpDialect"];
}

def PinAccumulators : Pass<"warp-pin-accumulators", "::mlir::ModuleOp"> {
  let summary = "pin loop-carried accumulators to PTX registers";
  let description = [{
    An accumulator tile is dozens or hundreds of registers. A loop carries them,
    and each wgmma takes and returns them. As LLVM values they take much of the
    compile time, see benchmarks/notes/compile-time.md. This pass pins the
    accumulators of consecutive wgmmas to registers that PTX declares and LLVM
    does not see. Their tiles have the encoding `#warp.pinned`, and no values in
    the LLVM dialect.

    Input: the end of the warp level. Output: the same values. `warp.acc_load`
    reads accumulators for ops other than wgmmas, waits and loops.
    `warp.acc_store` writes initial values. A multiplication that a loop or a
    wgmma continues from, as in attention, becomes a `warp.scale`.

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

    Left alone, since moving them would cost more than it saves:
    1. Accumulators of fewer than 32 registers.
    2. Chains of which two values are live at a time.
    3. Functions with several chains.
    4. Accumulators that other ops use in a loop that carries tiles.
  }];
  let dependentDialects = ["WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_SCHEDULEPASSES
