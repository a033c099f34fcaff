// RUN: tilewright-opt %s -warp-defer-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// The source itself holds the slot of a wgmma in flight: its wait stays. The loop may run no iteration, so it moves
// into a branch with the last wait.
// CHECK-LABEL: @pending
// CHECK: %[[ZERO:.*]] = arith.constant dense<0.000000e+00>
// CHECK: %[[NONE:.*]] = warp.ring.no_slot
// CHECK: %[[RUNS:.*]] = arith.cmpi slt
// CHECK: %[[R:.*]]:2 = scf.if %[[RUNS]]
// CHECK:   %[[L:.*]]:2 = scf.for
// CHECK:     warp.wgmma_wait %{{.*}} {pendings = 1 : i32}
// CHECK:   %[[D:.*]] = warp.wgmma_wait %[[L]]#0 {pendings = 0 : i32}
// CHECK:   scf.yield %[[D]], %[[L]]#1
// CHECK: } else {
// CHECK:   scf.yield %[[ZERO]], %[[NONE]]
// CHECK-NOT: warp.wgmma_wait
// CHECK: warp.ring.release %[[R]]#1 if
// CHECK: return %[[R]]#0
tile.func @pending(%n: i32) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32, warp.explicit} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %nothing = warp.ring.no_slot
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %held = %nothing) -> (tensor<64x16xf32, #c>, !warp.slot) : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %s = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %w = warp.wgmma_wait %s {pendings = 1 : i32} : tensor<64x16xf32, #c>
    %late = arith.cmpi sgt, %i, %zero : i32
    warp.ring.release %held if %late
    scf.yield %w, %slot : tensor<64x16xf32, #c>, !warp.slot
  }
  %d = warp.wgmma_wait %r#0 {pendings = 0 : i32} : tensor<64x16xf32, #c>
  %ran = arith.cmpi sgt, %n, %zero : i32
  warp.ring.release %r#1 if %ran
  tile.return %d : tensor<64x16xf32, #c>
}

// A condition on the release says when it happens: it does not move.
// CHECK-LABEL: @conditional
// CHECK-NOT: scf.if
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
tile.func @conditional(%n: i32, %c: i1) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32, warp.explicit} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %r = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x16xf32, #c>) : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %s = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot if %c
    scf.yield %w : tensor<64x16xf32, #c>
  }
  tile.return %r : tensor<64x16xf32, #c>
}
