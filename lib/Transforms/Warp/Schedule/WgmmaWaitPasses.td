// Passes that decide where wgmma is waited for.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES

include "mlir/Pass/PassBase.td"

def DeferWgmmaWaits : Pass<"warp-defer-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "start the products of an iteration before those of the last "
                "one are done";
  let description = [{
    In a loop whose products all add to sums that nothing else needs until the
    loop ends, one wait behind the last product lets those of the running
    iteration go on, and the slots that they read are given back one iteration
    later. The first iteration, which has nothing to wait for, stands in front of
    the loop: so its product needs no cleared sums, and `warp-hoist-epilogue-scalars`
    has a place behind it. Sums of more than 128 registers of a thread leave none
    for that: then the loop starts with cleared sums and no slots
    (`warp.ring.no_slot`).

    Where threads copy into the ring themselves (`async_groups`), the slot to fill
    is the one that the products of the iteration before have read: so its copies
    move behind the wait for these, and behind a barrier, for other warps'
    products have read it, too.

    Input: rings are made, those of `warp-pipeline-loops`, too. Output: the same
    sums; a loop holds up to two slots of a ring at once.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %slot, %a, %b = warp.ring.wait %ring
      %s = warp.wgmma %a, %b, %acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32}
      warp.ring.release %slot
      scf.yield %d
    }

    %t = scf.if %any {                                               // after
      %slot, %a, %b = warp.ring.wait %ring
      %first = warp.wgmma %a, %b, %zero
      %u = scf.if %more {
        %s, %last = scf.for ... iter_args(%acc = %first, %held = %slot) {
          %next, %a, %b = warp.ring.wait %ring
          %s = warp.wgmma %a, %b, %acc
          %d = warp.wgmma_wait %s {pendings = 1 : i32}
          warp.ring.release %held
          scf.yield %d, %next
        }
        %d = warp.wgmma_wait %s {pendings = 0 : i32}
        warp.ring.release %last
        scf.yield %d
      } else {
        %d = warp.wgmma_wait %first {pendings = 0 : i32}
        warp.ring.release %slot
        scf.yield %d
      }
      scf.yield %u
    } else {
      warp.unlikely
      scf.yield %zero
    }
    ```

    Operands that threads make in each iteration, as weights of few bits that
    become halves, are made under the products of the iteration before: one wait
    for these stands in front of the first store of the next operands, and their
    memory in front of the loop.

    ```mlir
    scf.for ... iter_args(%acc = %zero) {                            // before
      %words = warp.local_load %tile
      %m = warp.alloc %halves
      %s = warp.wgmma %a, %m, %acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32}
      scf.yield %d
    }

    %m = warp.alloc                                                  // after
    scf.for ... iter_args(%acc = %first) {
      %words = warp.local_load %tile
      %d = warp.wgmma_wait %acc {pendings = 0 : i32}
      warp.local_store %halves, %m
      %s = warp.wgmma %a, %m, %d
      scf.yield %s
    }
    ```

    A `warp.pingpong_pass` right behind the loop moves in front of the wait for the
    last products, on each way, so that the next team's may begin.

    No product is running where control flow joins: the assembler would take
    them for running on the other way too, and serialise all (C7514). So a loop
    of an explicit kernel that leaves products running goes into such a branch
    with the wait behind it.

    Left alone: sums that the loop uses itself, and those of 16 bits; products
    that read registers, or memory that the loop stores to otherwise; rings of
    one slot, and those that a loop fills in a branch or more than once; operands
    that threads make, where shared memory has no place for each tile; operands
    that threads load and store as they are: no work is left to do under the
    product, and the loads of a second operand would stand behind the wait.
  }];
  let options = [Option<"limit", "limit", "int64_t", "232448",
                        "bytes of shared memory that one block may use">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def MergeWgmmaWaits : Pass<"warp-merge-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "wait once for products that follow each other";
  let description = [{
    A tile whose columns are no power of two is several tiles, each with a product
    of its own. Where threads use the sums of each iteration, as those that add
    them up outside of the tensor cores, one wait behind the last of these products
    stands for all: the tensor cores go on from one to the next, and
    `warp-merge-wgmma` may make them one.

    Input: waits are placed. Output: the same values; what the products read stays
    as it is until the wait, and no sum is used before it.

    ```mlir
    %s = warp.wgmma %a, %b, %zero                                    // before
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    %u = warp.wgmma %a, %c, %zeros
    %v = warp.wgmma_wait %u {pendings = 0 : i32}

    %s = warp.wgmma %a, %b, %zero                                    // after
    %u = warp.wgmma %a, %c, %zeros
    %t, %v = warp.wgmma_wait %s, %u {pendings = 0 : i32}
    ```

    Left alone: waits that leave products running; those with a use of a sum
    between them, or anything but products that has effects, as slots that are
    waited for or given back; those of explicit kernels.
  }];
  let dependentDialects = ["WarpDialect"];
}

def FillWgmmaWaits : Pass<"warp-fill-wgmma-waits", "::mlir::ModuleOp"> {
  let summary = "do under a product what does not need its sums";
  let description = [{
    Between the start of the products of a block and the wait for them go: the
    stores to global memory in front of them, with what is computed for these
    alone, and changes of layout behind the wait of what was there before. What a
    store needs in another layout, and the products have in shared memory, is
    read back from there. A product that adds to the sum of another one starts
    without a wait for that. And threads wait for their own copies behind the
    stores of operands, which need a barrier, too.

    Input: rings are made, loops are pipelined, shared memory is not allocated.
    Output: the same values, the same order of accesses that may meet.

    ```mlir
    %m = warp.alloc %h                                               // before
    %r = warp.convert_layout %h
    tile.store %p, %r
    %s = warp.wgmma %a, %m, %zero
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    %v = warp.convert_layout %loaded

    %m = warp.alloc %h                                               // after
    %s = warp.wgmma %a, %m, %zero
    %v = warp.convert_layout %loaded
    %r = warp.local_load %m
    tile.store %p, %r
    %t = warp.wgmma_wait %s {pendings = 0 : i32}
    ```

    Left alone: stores that something in between may meet or that barriers order,
    what is stored of the registers of sums, kernels that say themselves what
    their roles do.
  }];
  let dependentDialects = ["WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SCHEDULE_WGMMAWAITPASSES
