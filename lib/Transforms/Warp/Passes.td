// Passes from `warp` to `warp`: layouts are chosen.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES

include "lib/Transforms/Warp/ProductPasses.td"
include "lib/Transforms/Warp/RolePasses.td"
include "lib/Transforms/Warp/SharedMemoryPasses.td"
include "lib/Transforms/Warp/WaitPasses.td"
include "mlir/Pass/PassBase.td"

def OrderPrograms : Pass<"warp-order-programs", "::mlir::ModuleOp"> {
  let summary = "let programs take turns where their order makes a difference";
  let description = [{
    In kernels with atomics that depend on the order of programs, as sums of
    floats and those whose results are used do, every atomic waits for the
    program's turn, and programs pass it when they end: from its first atomic on
    a program runs alone. `warp.ordered` on the function and on its atomics says
    so; `warp.by_element` marks those whose elements may share an address that
    the order of elements then makes a difference to. The function gets one more
    argument, the place of the launch among the counters.

    Input: blocks have sides of powers of two, layouts are not chosen. Output: the
    same operations, in an order that does not differ from launch to launch; what
    descriptors combine into memory are atomics on pointers. Kernels without such
    atomics are left as they are.

    ```mlir
    tile.func @sum(%p: !tile.ptr<f32>, %x: f32) {                    // before
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
      tile.return
    }

    tile.func @sum(%p: !tile.ptr<f32>, %x: f32, %place: i32)          // after
        attributes {warp.ordered} {
      warp.wait_turn %place
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.ordered} : !tile.ptr<f32>
      warp.pass_turn %place
      tile.return
    }
    ```

    Refused: such atomics in roles, of which several run at once, and combining
    through descriptors that a branch or a loop chooses.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def RelaxSpins : Pass<"warp-relax-spins", "::mlir::ModuleOp"> {
  let summary = "release once what programs that wait for others have done";
  let description = [{
    A loop that does nothing but an atomic operation on one place until the result
    is what it waits for, as for a lock or a flag, writes nothing that an
    operation with release semantics would have to come behind but what was
    written in front of the loop. So a barrier with `release` stands there, and
    the operation goes round without: a release takes as long as the operation
    itself, and the lock is free meanwhile.

    Input: operations are as the kernel says. Output: the same order for those
    that acquire what the loop writes.

    ```mlir
    scf.while : () -> () {                                            // before
      %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
      ...
    }

    warp.barrier release gpu                                          // after
    scf.while : () -> () {
      %old = tile.atomic_cas acquire gpu %lock, %zero, %one : !tile.ptr<i32>
      ...
    }
    ```

    Left alone: operations on tiles, loops that access memory otherwise or change
    the place, programs that take turns.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def HoistLoads : Pass<"warp-hoist-loads", "::mlir::ModuleOp"> {
  let summary = "start loads in front of changes of layout that wait for memory";
  let description = [{
    In functions without products, loads of a few registers, with their
    addresses and masks, go in front of a change of layout through shared memory
    of what was loaded: it waits for that, and nothing behind its barriers starts
    before. Nothing that writes memory may stand in between, and no loop.

    Input: loops are pipelined, shared memory is not allocated. Output: the same
    values.

    ```mlir
    %x = tile.load %p                                                // before
    %y = warp.convert_layout %x
    %z = tile.load %q

    %x = tile.load %p                                                // after
    %z = tile.load %q
    %y = warp.convert_layout %x
    ```
  }];
}

def LoadAhead : Pass<"warp-load-ahead", "::mlir::ModuleOp"> {
  let summary = "load small tiles of a loop with products one iteration ahead";
  let description = [{
    In an `scf.for` with products of tensor cores, loads of a few registers for
    each thread, such as scales and sums of rows, are issued at the start of the
    iteration before and carried in registers. Their addresses are computed a
    second time, one iteration ahead; behind the last iteration they are masked
    off.

    Input: what can be copied into rings is. Output: the same loops, which carry
    more.

    ```mlir
    scf.for %i = %lb to %ub step %s iter_args(%acc = %zero) {        // before
      %scale = tile.load %p
      ... warp.mma ...
    }

    %first = tile.load %p0, %runs                                    // after
    scf.for %i = %lb to %ub step %s iter_args(%acc = %zero, %scale = %first) {
      %next = tile.load %p1, %goes_on
      ... warp.mma ...
    }
    ```

    Left alone: operands that go to shared memory as they are, for carried they
    leave fewer programs to a multiprocessor; loads that arrive under products
    which run while threads compute (warp-interleave-products); volatile loads, loads behind assertions, loops that may write
    what is loaded or learn from an atomic operation that others did, addresses
    that depend on branches of the loop or on what it changes in memory, and what
    would leave too few registers.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: as many as it can "
                        "have">];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::tile::TileDialect"];
}

def PipelineLoops : Pass<"warp-pipeline-loops", "::mlir::ModuleOp"> {
  let summary = "load what a loop brings to shared memory several iterations "
                "ahead";
  let description = [{
    In an innermost `scf.for`, loads whose tile goes to a `warp.alloc` in each
    iteration become asynchronous copies into the slots of one ring. The copies
    of the first `num-stages - 1` iterations are issued before the loop; each
    iteration waits for the oldest copies, passes the one barrier, issues those
    of the iteration `num-stages - 1` ahead, under its first `warp.wgmma` if it has
    one, and computes. The pointers, masks and
    carried values that addresses depend on are computed a second time, ahead of
    the loop; what nothing but the loads needed goes. Loads among them, of an
    index or of the page of a table, are issued one iteration further ahead, so
    that no copy waits for them, and are masked off behind the last iteration.
    A few numbers that follow from them and that the loop needs itself are carried
    to their iteration.
    `tile.num_stages` on a loop stands above the option. Where shared memory is short a ring gets fewer
    slots, but at least two. Where two leave no memory for a second program, but
    one does, and what is loaded are operands of several `warp.mma` that do not
    add to each other, each of these has a ring of one slot, filled again behind
    it.

    Input: layouts are chosen, shared memory is not allocated. Output: every
    ring's slots are acquired, committed, waited for and released in their
    order; nothing is in flight when a loop ends.

    ```mlir
    scf.for %i = %lb to %ub step %s {                            // before
      %t = tile.load %ptrs, %mask
      %m = warp.alloc %t
      ... warp.local_load %m ...
    }

    %ring = warp.ring                                            // after, 2 stages
    %e, %first = warp.ring.acquire %ring[%c0]
    warp.async_copy %ptrs0, %first mask %mask0 if %any
    warp.ring.commit %e
    scf.for %i = %lb to %ub step %s iter_args(%r, %w, %left, ...) {
      %f, %m = warp.ring.wait %ring[%r] pending 0
      warp.barrier
      %e1, %next = warp.ring.acquire %ring[%w]
      warp.async_copy %ptrs1, %next mask %mask1 if %more
      warp.ring.commit %e1
      ... warp.local_load %m ...
      warp.ring.release %f
    }
    ```

    Left alone, with a remark: loops that may write what is loaded ahead, or
    learn from an atomic operation that others did; loads that are volatile,
    whose masked-off elements are not zero, that have fewer than 4 bytes side by
    side in both memories, or whose addresses depend on volatile loads, on what
    the loop changes in memory, or on branches in it; memory that is written
    again; rings of which not even two slots fit. What threads would store only
    to read it again as they held it stays in registers then.
  }];
  let options = [Option<"numStages", "num-stages", "int64_t", "3",
                        "slots of a ring; 1 pipelines only loops with a hint">,
                 Option<"limit", "limit", "int64_t", "232448",
                        "bytes of shared memory that one block may use">];
  let dependentDialects = ["::tilewright::warp::WarpDialect",
                           "::tilewright::tile::TileDialect",
                           "::mlir::arith::ArithDialect",
                           "::mlir::scf::SCFDialect"];
}

def BindTensorMaps : Pass<"warp-bind-tensor-maps", "::mlir::ModuleOp"> {
  let summary = "let the host, or the device, make the tensor maps";
  let description = [{
    Each descriptor that `warp.tma_load` copies from becomes an argument of the
    kernel, behind all others: one for each descriptor and each kind of box. The
    function's `warp.tensor_maps` has a dictionary for each:

    | key | value |
    |---|---|
    | `argument` | the number of the argument |
    | `element` | type of the elements |
    | `box` | sides of a box, outermost dimension first |
    | `swizzle` | bytes over which rows are swizzled: 0, 32, 64 or 128 |
    | `padding` | `zero` or `nan`: what is out of bounds |
    | `base`, `shape`, `strides` | programs for the address, each size and each stride (in elements; that of the last dimension is 1), see lib/Analysis/HostValues.h: pairs of a step and its value |

    What depends on more than arguments, such as an address that was loaded, each
    role describes by itself where the descriptor stands (`warp.make_tensor_map`),
    in global memory that it acquires where it starts and releases where it ends.
    Copies through the map that was there before are waited for.

    Input: tensor memory accesses name descriptors. Output: they name maps.

    ```mlir
    %d = tile.make_descriptor %base, [%m, %k], [%s] : ...             // before
    warp.tma_load %d[%i, %j], %tile : !tile.desc<128x64xf16>, ...

    warp.tma_load %arg7[%i, %j], %tile : !warp.tensor_map, ...         // after
    ```

    Refused: descriptors that depend on more than the kernel's arguments where
    there are no roles.
  }];
  let options = [
    Option<"check", "check", "bool", /*default=*/"false",
           "assert that arrays which the device describes are aligned">];
  let dependentDialects = ["::mlir::arith::ArithDialect", "::tilewright::warp::WarpDialect"];
}

def ReportTraffic : Pass<"warp-report-traffic", "::mlir::ModuleOp"> {
  let summary = "say how wide accesses are and what conversions of layouts cost";
  let description = [{
    Changes nothing. Remarks say of each load and store of a tile how many bytes
    a thread moves at once, and which would be possible if more were known of the
    addresses; of each `warp.convert_layout` that moves data between threads how
    it does; and of each loop how much an iteration computes and loads. Does nothing where nobody listens to remarks.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    %x = tile.load %p : tensor<128x!tile.ptr<f16>, #l>  // loads 8 bytes at a time
    ```

    Refused: nothing.
  }];
}

def CheckRegisters : Pass<"warp-check-registers", "::mlir::ModuleOp"> {
  let summary = "find loops whose tiles do not fit the registers of a thread";
  let description = [{
    Changes nothing. The tiles of floats that a loop carries are in registers all
    through it. Where those of one loop alone take more registers than a thread of
    its role has, the code spills them in each iteration, and the assembler takes
    seconds to find out how. A remark says so, or an error with `refuse`, which is
    for those who have other configurations to try. What no assembler takes, an
    instruction of more sums than a thread has registers, is an error always.

    Input and output: kernels whose tiles have layouts.

    ```mlir
    // 4 warps: 512 registers of a thread.
    scf.for ... iter_args(%acc = %zero) -> tensor<256x256xf32, #l>
    ```

    Refused: such products, and such loops where it is asked for.
  }];
  let options = [Option<"most", "most", "int64_t", "0",
                        "registers of a thread at most; 0: what the GPU has">,
                 Option<"refuse", "refuse", "bool", "false",
                        "fail instead of a remark">];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_PASSES
