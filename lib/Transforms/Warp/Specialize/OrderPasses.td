// Passes that order programs, and the accesses of a producer.

#ifndef TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES
#define TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES

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
      warp.ticket_wait %place
      %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.ordered} : !tile.ptr<f32>
      warp.ticket_pass %place
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

def ThrottleProducer : Pass<"warp-throttle-producer", "::mlir::ModuleOp"> {
  let summary = "keep copies no further ahead than memory takes";
  let description = [{
    Where a ring has a slot more than hides what memory takes, about 2000 clocks
    of the tensor cores, its producer leaves one slot empty behind the first
    iterations of a loop. Programs that read the same operands then stay together,
    and the L2 cache is read less often.

    Input: shared memory is allocated. Output: `throttled` acquires.

    ```mlir
    scf.for %k = %c0 to %n step %c1 {                      // before
      %slot, %tile = warp.ring.acquire %ring : ...

    scf.for %k = %c0 to %n step %c1 {                      // after
      %done = arith.subi %k, %c0
      %late = arith.cmpi sge, %done, %c8
      %slot, %tile = warp.ring.acquire %ring throttled %late : ...
    ```

    Left alone: rings that tensor cores do not read, those of clusters, whose
    blocks go in step, those whose readers may hold all slots but one, and what the
    source says itself.
  }];
  let dependentDialects = ["::mlir::arith::ArithDialect",
                           "::tilewright::warp::WarpDialect"];
}

#endif // TILEWRIGHT_LIB_TRANSFORMS_WARP_SPECIALIZE_ORDERPASSES
