// RUN: tilewright-opt %s -warp-relax-spins | FileCheck %s

// A lock: earlier writes are released once.
// CHECK-LABEL: @lock
// CHECK: tile.store
// CHECK-NEXT: warp.barrier release gpu
// CHECK-NEXT: scf.while
// CHECK: tile.atomic_cas acquire gpu
tile.func @lock(%lock: !tile.ptr<i32>, %p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  tile.store %p, %x : !tile.ptr<f32>
  scf.while : () -> () {
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
    %held = arith.cmpi eq, %old, %one : i32
    scf.condition(%held)
  } do {
    scf.yield
  }
  tile.return
}

// A flag that the loop only reads, with system scope.
// CHECK-LABEL: @flag
// CHECK: warp.barrier release sys
// CHECK: tile.atomic_rmw add relaxed sys
tile.func @flag(%flag: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  scf.while : () -> () {
    %old = tile.atomic_rmw add release sys %flag, %zero : !tile.ptr<i32>
    %waits = arith.cmpi eq, %old, %zero : i32
    scf.condition(%waits)
  } do {
    scf.yield
  }
  tile.return
}

// The store of an iteration must come before the operation of the next one.
// CHECK-LABEL: @stores
// CHECK-NOT: warp.barrier
// CHECK: tile.atomic_cas acq_rel gpu
tile.func @stores(%lock: !tile.ptr<i32>, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
    %held = arith.cmpi eq, %old, %one : i32
    scf.condition(%held)
  } do {
    tile.store %p, %one : !tile.ptr<i32>
    scf.yield
  }
  tile.return
}

// The operation of one iteration comes before that on another address.
// CHECK-LABEL: @addresses
// CHECK-NOT: warp.barrier
// CHECK: tile.atomic_cas acq_rel gpu
tile.func @addresses(%locks: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while (%i = %zero) : (i32) -> i32 {
    %lock = tile.addptr %locks, %i : !tile.ptr<i32>, i32
    %old = tile.atomic_cas acq_rel gpu %lock, %zero, %one : !tile.ptr<i32>
    %held = arith.cmpi eq, %old, %one : i32
    scf.condition(%held) %i : i32
  } do {
  ^bb0(%i: i32):
    %next = arith.addi %i, %one : i32
    scf.yield %next : i32
  }
  tile.return
}

// Nothing to release.
// CHECK-LABEL: @acquires
// CHECK-NOT: warp.barrier
tile.func @acquires(%lock: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.while : () -> () {
    %old = tile.atomic_cas acquire gpu %lock, %zero, %one : !tile.ptr<i32>
    %held = arith.cmpi eq, %old, %one : i32
    scf.condition(%held)
  } do {
    scf.yield
  }
  tile.return
}
