// RUN: tilewright-opt %s --warp-order-programs --split-input-file | FileCheck %s

// One wait dominates both atomics. The ticket is passed at the end.
// CHECK-LABEL: tile.func @sums
// CHECK-SAME: %[[SLOT:[a-z0-9]*]]: i32) attributes {warp.ordered}
tile.func @sums(%p: !tile.ptr<f32>, %x: f32) {
  // CHECK: warp.ticket_wait %[[SLOT]]
  // CHECK-NEXT: tile.atomic_rmw fadd {{.*}} {warp.ordered}
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
  // CHECK-NEXT: tile.atomic_rmw fadd {{.*}} {warp.ordered}
  %1 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
  // CHECK-NEXT: warp.ticket_pass %[[SLOT]]
  // CHECK-NEXT: tile.return
  tile.return
}

// -----

// A path without a wait waits at the end. An atomic whose order does not matter
// waits, too, because later atomics see its result.
// CHECK-LABEL: tile.func @branches
tile.func @branches(%p: !tile.ptr<i32>, %x: i32, %c: i1, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: scf.if
  scf.if %c {
    // CHECK-NEXT: warp.ticket_wait
    // CHECK-NEXT: tile.atomic_rmw max {{.*}} {warp.ordered}
    %0 = tile.atomic_rmw max relaxed gpu %p, %x : !tile.ptr<i32>
  }
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NEXT: warp.ticket_wait
    // CHECK-NEXT: tile.atomic_rmw xchg
    %0 = tile.atomic_rmw xchg relaxed gpu %p, %i : !tile.ptr<i32>
    // CHECK-NEXT: tile.atomic_cas
    %1 = tile.atomic_cas relaxed gpu %p, %i, %x : !tile.ptr<i32>
  }
  // CHECK: warp.ticket_wait
  // CHECK-NEXT: warp.ticket_pass
  tile.return
}

// -----

// Consecutive elements have distinct addresses; others may not.
// CHECK-LABEL: tile.func @elements
tile.func @elements(%p: !tile.ptr<f32>, %x: tensor<64xf32>, %at: tensor<64xi32>) {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %rows = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: tile.atomic_rmw fadd {{.*}} {warp.ordered}
  %0 = tile.atomic_rmw fadd relaxed gpu %rows, %x : tensor<64x!tile.ptr<f32>>
  %others = tile.addptr %ps, %at : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  // CHECK: tile.atomic_rmw fadd {{.*}} {warp.by_element, warp.ordered}
  %1 = tile.atomic_rmw fadd relaxed gpu %others, %x : tensor<64x!tile.ptr<f32>>
  // CHECK: tile.atomic_rmw fmax {{.*}} {warp.ordered}
  %2 = tile.atomic_rmw fmax relaxed gpu %others, %x : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// Reductions through descriptors become atomics.
// CHECK-LABEL: tile.func @descriptor
tile.func @descriptor(%p: !tile.ptr<f32>, %x: tensor<8x16xf32>, %i: i32, %n: i64) {
  %d = tile.make_descriptor %p, [%n, %n], [%n] padding = zero : !tile.desc<8x16xf32>, !tile.ptr<f32>
  // CHECK-NOT: tile.descriptor_store
  // CHECK: warp.ticket_wait
  // CHECK: tile.atomic_rmw fadd {{.*}} {warp.by_element, warp.ordered}
  tile.descriptor_store %d[%i, %i], %x reduce fadd : !tile.desc<8x16xf32>, tensor<8x16xf32>
  tile.return
}

// -----

// The order does not matter.
// CHECK-LABEL: tile.func @counts
// CHECK-NOT: warp.
tile.func @counts(%p: !tile.ptr<i32>, %q: !tile.ptr<f32>, %x: i32, %y: f32) {
  %0 = tile.atomic_rmw add relaxed gpu %p, %x : !tile.ptr<i32>
  %1 = tile.atomic_rmw fmax relaxed gpu %q, %y : !tile.ptr<f32>
  tile.return
}
