// Passes that order programs and throttle producers.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES

include "mlir/Pass/PassBase.td"

def OrderPrograms : Pass<"warp-order-programs", "::mlir::ModuleOp"> {
  let summary = "order the atomics of programs if their order matters";
  let description = [{
    Applies to kernels whose atomics depend on the order of programs, such as float
    additions and atomics whose results are used. Every atomic waits for the ticket
    of its program, and programs pass the ticket on when they end. So a program
    runs alone from its first atomic on.

    `warp.ordered` marks the function and its atomics. `warp.by_element` marks
    atomics whose elements may share an address, so that the order of elements
    matters. The function gets one more argument, the ticket slot of the launch.

    Input: blocks have extents of powers of two, layouts are not chosen. Output: the
    same operations, in an order that is the same for all launches. Reductions
    through descriptors become atomics on pointers. Other kernels do not change.

    ```mlir
    tile.func @sum(%p: !tile.ptr<f32>, %x: f32) {                    // before
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
      tile.return
    }

    tile.func @sum(%p: !tile.ptr<f32>, %x: f32, %slot: i32)          // after
        attributes {warp.ordered} {
      warp.ticket_wait %slot
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.ordered} : !tile.ptr<f32>
      warp.ticket_pass %slot
      tile.return
    }
    ```

    Refused: such atomics in roles, which run concurrently, and reductions through
    descriptors that a branch or a loop chooses.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def RelaxSpins : Pass<"warp-relax-spins", "::mlir::ModuleOp"> {
  let summary = "move releases out of spin loops";
  let description = [{
    A spin loop repeats one atomic operation on one address until the result is the
    expected one, as for a lock or a flag. The loop itself writes nothing that the
    release semantics of the operation must order. So a barrier with `release`
    before the loop orders all earlier writes, and the operation drops its release.
    A release takes as long as the operation itself, while the lock may be free.

    Input: operations as in the kernel source. Output: the same order for threads
    that acquire the writes of the loop.

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

    Left alone: operations on tiles, loops with other memory accesses, addresses
    that the loop computes, and atomics in ticket order.
  }];
  let dependentDialects = ["::tilewright::warp::WarpDialect"];
}

def ThrottleProducer : Pass<"warp-throttle-producer", "::mlir::ModuleOp"> {
  let summary = "limit prefetching to the memory latency";
  let description = [{
    If a ring has a slot more than it takes to hide the memory latency, its producer
    leaves one slot empty after the first iterations of a loop. CTAs that read the
    same operands then stay together and read L2 less often
    (benchmarks/notes/ring-depth.md).

    Input: shared memory is allocated. Output: `throttled` acquires.

    ```mlir
    scf.for %k = %c0 to %n step %c1 {                      // before
      %slot, %tile = warp.ring.acquire %ring : ...

    scf.for %k = %c0 to %n step %c1 {                      // after
      %done = arith.subi %k, %c0
      %late = arith.cmpi sge, %done, %c8
      %slot, %tile = warp.ring.acquire %ring throttled %late : ...
    ```

    Left alone:
    1. rings that tensor cores do not read;
    2. rings of clusters, whose CTAs run in lockstep;
    3. rings whose consumers may hold all slots but one;
    4. kernels whose source defines the roles.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::warp::WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES
