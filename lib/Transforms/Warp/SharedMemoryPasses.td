// Passes that place shared memory, order its accesses, and check both.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORYPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORYPASSES

include "mlir/Pass/PassBase.td"

def AllocateShared : Pass<"warp-allocate-shared", "::mlir::ModuleOp"> {
  let summary = "give every use of shared memory its place";
  let description = [{
    Memory of ops that are never alive at once is shared between them. The
    larger a piece, the earlier it is placed, at the lowest offset that is free
    while it lives.

    The slots of a ring that one role fills and another one reads are free for
    that one behind the last that it does with them, if no loop leads there
    again: what was filled has all been waited for by then. The ring's barriers
    keep their place.

    What a role of teams needs has a place for each team: `warp.team_bytes` on
    `warp.specialize` says how far they are apart.

    The only ring of a kernel through which copies run ahead gets more slots, up
    to eight, as long as equally many programs fit on a multiprocessor. Slots that
    would take more are *extra*: they lie behind the memory that the function
    always has, and are there where the launch gives it. `warp.extra_slots` on
    the ring says how many, from where on, and with how much memory;
    `warp.extra_size` on the function how much that is beside
    `warp.shared_size`.

    Input: any `warp` functions. Output: `warp.shared_offset` on each op that
    needs shared memory, `warp.shared_size` on each function.

    ```mlir
    %1 = warp.convert_layout %0 : ...                                   // before
    %1 = warp.convert_layout %0 {warp.shared_offset = 0 : i32} : ...    // after
    ```

    Refused: more than `limit` bytes, with the amount, the limit and the ops
    that take most.
  }];
  let options = [Option<"limit", "limit", "int64_t", "232448",
                        "bytes that one block may use">,
                 Option<"target", "target", "std::string", "\"sm_90\"",
                        "name of the GPU, for the error message">];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def PaceCopies : Pass<"warp-pace-copies", "::mlir::ModuleOp"> {
  let summary = "keep copies no further ahead than memory takes";
  let description = [{
    Where a ring has a slot more than hides what memory takes, about 2000 clocks
    of the tensor cores, its producer leaves one slot empty behind the first
    iterations of a loop. Programs that read the same operands then stay together,
    and the L2 cache is read less often.

    Input: shared memory is allocated. Output: `paced` acquires.

    ```mlir
    scf.for %k = %c0 to %n step %c1 {                      // before
      %slot, %tile = warp.ring.acquire %ring : ...

    scf.for %k = %c0 to %n step %c1 {                      // after
      %done = arith.subi %k, %c0
      %late = arith.cmpi sge, %done, %c8
      %slot, %tile = warp.ring.acquire %ring paced %late : ...
    ```

    Left alone: rings that tensor cores do not read, those of clusters, whose
    blocks go in step, those whose readers may hold all slots but one, and what the
    source says itself.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::warp::WarpDialect"];
}

def InsertBarriers : Pass<"warp-insert-barriers", "::mlir::ModuleOp"> {
  let summary = "make warps wait before they touch memory that others may be "
                "using";
  let description = [{
    Follows the accesses that no barrier has ended yet along all paths, around
    loops too, and puts a `warp.barrier` before an op that conflicts with one.
    Where a loop conflicts only with what comes before it, the barrier stands in
    front of the loop.

    Accesses to global memory are followed, too: a program reads what it wrote,
    whichever of its threads do. Two of them conflict where one writes, both may
    reach the same array, and an element may be another thread's
    (lib/Analysis/GlobalOrder.h). No barrier stands for tiles that follow each
    other from iteration to iteration, nor for an element that the same thread
    reads and writes.
    Where that goes by the distance of rows, which only the kernel knows, a
    conditional asks whether the barrier is needed.

    Input: shared memory is allocated. Output: no two conflicting accesses
    without a barrier on every path between them, as `warp-check-barriers`
    proves of shared memory on its own.

    ```mlir
    warp.local_store %t, %m : ...    // before
    %u = warp.local_load %m : ...

    warp.local_store %t, %m : ...    // after
    warp.barrier
    %u = warp.local_load %m : ...
    ```

    Refused: nothing. Barriers that stand already are kept and counted on.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect",
                           "::tilewright::warp::WarpDialect"];
}

def InsertProxyFences : Pass<"warp-insert-proxy-fences", "::mlir::ModuleOp"> {
  let summary = "show stores to shared memory to the tensor cores";
  let description = [{
    Puts a `warp.proxy_fence` behind stores to tiles that a `warp.wgmma` reads:
    behind the last of several that no product parts, before the barrier in front
    of the product.

    One stands as well before a slot of a ring of transactions is given back that
    threads have read: the arrival alone does not order their reads before the
    copies that fill the slot next. Where what was read is stored at once, the
    slot is given back behind the fence of these stores.

    Input: barriers stand. Output: between a store to an operand of `warp.wgmma`
    and the barrier before the product there is a fence, and between a
    `warp.local_load` from such a slot and its release.

    ```mlir
    %m = warp.alloc %t : ...    // before
    warp.barrier
    %d = warp.wgmma %m, ...

    %m = warp.alloc %t : ...    // after
    warp.proxy_fence
    warp.barrier
    %d = warp.wgmma %m, ...
    ```

    Refused: nothing.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def CheckBarriers : Pass<"warp-check-barriers", "::mlir::ModuleOp"> {
  let summary = "refuse conflicting accesses to shared memory without a "
                "barrier between them";
  let description = [{
    Searches, from each access, all ways through the function that pass no
    barrier, for an access in conflict. Shares no code with
    `warp-insert-barriers`, so that each is a test of the other.

    Input: shared memory is allocated. Output: the same, unchanged.

    Refused: a pair of accesses that race, with both places.
  }];
}

def CheckRings : Pass<"warp-check-rings", "::mlir::ModuleOp"> {
  let summary = "refuse wrong use of rings, products, fences and shared memory";
  let description = [{
    Goes all ways through each role: loops until what is known repeats, both
    sides of branches. Knows on each way which slots are held, which copies and
    products are under way, and what lacks a fence. Shares no code with the
    passes that put any of it in, so that each is a test of the other. The rules,
    by the names that errors use:

    | rule | |
    |---|---|
    | held slot | A slot is read between its wait and its release and filled between its acquire and its commit, each once on every way; roles end with empty hands. |
    | in turn | Slots are committed and released in the order in which they are taken; an index counts 0, 1, ..., N - 1, 0. |
    | filled once | One `warp.tma_load` fills each tile of a slot of transactions; of a slot of `cp.async`, what is read was copied. |
    | slot comes | No role waits for what only it could give. |
    | in step | However often the loops run, the roles that read a ring wait for as many slots as are filled, and none waits for ever; loops and branches of two roles have to be provably the same for that. Each slot is for one team of a role, the others pass it by; each turn that a team passes is taken. |
    | copies arrived | A slot of `cp.async` is waited for with few enough groups left; copies that are always made are waited for in the end. |
    | products done | A slot is released, memory written and a role left only when the products that read it, or that it started, have been waited for. |
    | sums untouched | Until then sums go to products, waits and loops only. |
    | fence before release | Reads by threads of a slot that copies fill are fenced before its release. |
    | fence before product | Writes by threads, and copies of `cp.async`, are followed by a fence and then a barrier before a product reads them. |
    | stores done | Memory that `warp.tma_store` goes through is written otherwise, and left, only behind a `warp.tma_store_wait`, and a barrier. Its copies have arrived before an atomic operation of the program releases them. |
    | cluster meets | A `warp.cluster_barrier` stands between a ring of a cluster and its first use, and behind its last. |
    | memory kept | Nothing else is written to the place of a tile that is still read, nor to that of slots that are waited for later; what two roles or teams use lies apart, but for slots and what the role that reads them has. |
    | warps meet | Barriers and whatever all threads of a role do stand in uniform control flow; there are barriers enough; products are those of whole warpgroups. |
    | provable | All of this can be followed. |

    Input: shared memory is allocated, barriers and fences stand. Output: the
    same, unchanged.

    Refused: whatever breaks a rule, at its line.
  }];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SHAREDMEMORYPASSES
