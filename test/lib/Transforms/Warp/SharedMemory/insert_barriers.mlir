// RUN: tilewright-opt %s -warp-allocate-shared -warp-insert-barriers -warp-check-barriers | FileCheck %s

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#first = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
#second = #warp.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]]}>

// Read after write, and nothing between reads.
// CHECK-LABEL: @straight
tile.func @straight(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // CHECK: warp.local_store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_load
  // CHECK-NEXT: warp.local_load
  // CHECK-NEXT: tile.return
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  %z = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// Other memory does not matter.
// CHECK-LABEL: @apart
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @apart(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// An existing barrier counts.
// CHECK-LABEL: @kept
// CHECK: warp.barrier
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @kept(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.barrier
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// The write of the next iteration must wait for the read of this one.
// CHECK-LABEL: @loop(
tile.func @loop(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // CHECK: scf.for
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_load
  scf.for %i = %c0 to %n step %c1 : i32 {
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
    %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }
  tile.return
}

// Accesses that are pending only before a loop get a barrier there, also if an
// inner loop conflicts with them. A barrier that iterations need covers both.
// CHECK-LABEL: @before_a_loop(
tile.func @before_a_loop(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  // CHECK: warp.local_store
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: warp.local_load
  // CHECK-NEXT: }
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
    }
  }
  // CHECK: warp.local_store
  // CHECK-NEXT: scf.for
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_load
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_store
  warp.local_store %x, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
    warp.local_store %y, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  }
  tile.return
}

// An access that is pending on one path is pending.
// CHECK-LABEL: @branch
tile.func @branch(%x: tensor<16x4xf16, #rows>, %c: i1) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  scf.if %c {
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  }
  // CHECK: {{^ +}$}}
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_load
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// Two conversions share scratch, because there is a tile. The second one writes
// memory that the first one may still be reading.
// CHECK-LABEL: @scratch(
tile.func @scratch(%x: tensor<64xf32, #first>) -> tensor<64xf32, #first> {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // CHECK: warp.convert_layout
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.convert_layout
  // CHECK-NEXT: tile.return
  %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  %z = warp.convert_layout %y : tensor<64xf32, #second> -> tensor<64xf32, #first>
  tile.return %z : tensor<64xf32, #first>
}

// The scratch of consecutive ops is disjoint. The inner barrier of the second one
// orders the first before the third.
// CHECK-LABEL: @scratch_apart(
tile.func @scratch_apart(%x: tensor<64xf32, #first>) -> tensor<64xf32, #second> {
  // CHECK-NOT: warp.barrier
  // CHECK: tile.return
  %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  %z = warp.convert_layout %y : tensor<64xf32, #second> -> tensor<64xf32, #first>
  %w = warp.convert_layout %z : tensor<64xf32, #first> -> tensor<64xf32, #second>
  tile.return %w : tensor<64xf32, #second>
}

// A lock: operations of the whole program begin with a barrier for a release and
// end with one for an acquire. A barrier of the source before them is redundant.
// CHECK-LABEL: @lock
tile.func @lock(%p: !tile.ptr<i32>, %q: !tile.ptr<f32>, %xs: tensor<64x!tile.ptr<f32>, #first>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK-NOT: warp.barrier
  // CHECK: tile.return
  %old = tile.atomic_cas acq_rel gpu %p, %c0, %c1 : !tile.ptr<i32>
  %n = tile.load %p : !tile.ptr<i32>
  %x = tile.load %xs : tensor<64x!tile.ptr<f32>, #first>
  tile.store %xs, %x : tensor<64x!tile.ptr<f32>, #first>
  warp.barrier
  %end = tile.atomic_rmw xchg acq_rel gpu %p, %c0 : !tile.ptr<i32>
  tile.return
}

// A relaxed operation has no barriers: the program loads the write of one thread.
// CHECK-LABEL: @relaxed
tile.func @relaxed(%p: !tile.ptr<i32>) -> i32 {
  %c1 = arith.constant 1 : i32
  // CHECK: tile.atomic_rmw
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: tile.load
  %old = tile.atomic_rmw add relaxed gpu %p, %c1 : !tile.ptr<i32>
  %n = tile.load %p : !tile.ptr<i32>
  tile.return %n : i32
}

// A conversion in a loop conflicts with itself.
// CHECK-LABEL: @scratch_in_loop
tile.func @scratch_in_loop(%x: tensor<64xf32, #first>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.for
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.convert_layout
  // CHECK-NEXT: {{^ +}$}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  }
  tile.return
}

// A slot to fill differs from a slot that is read, until the latter is released.
// CHECK-LABEL: @slots
tile.func @slots(%p: tensor<16x4x!tile.ptr<f16>, #rows>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  // CHECK: warp.ring.wait
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.local_load
  // CHECK-NEXT: warp.ring.acquire
  // CHECK-NEXT: warp.async_copy
  // CHECK: warp.ring.release
  // CHECK-NEXT: warp.ring.acquire
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: warp.async_copy
  %full, %from = warp.ring.wait %ring[%c0] pending 0 : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  warp.barrier
  %y = warp.local_load %from : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  %second, %b = warp.ring.acquire %ring[%c1] : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  warp.async_copy %p, %b if %true vector 2 : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>
  warp.ring.commit %second
  warp.ring.release %full
  %first, %a = warp.ring.acquire %ring[%c0] : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  warp.async_copy %p, %a if %true vector 2 : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>
  warp.ring.commit %first
  tile.return
}
