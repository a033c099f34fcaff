// RUN: tilewright-opt %s -canonicalize -cse -loop-invariant-code-motion | FileCheck %s

#rows = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>

// Ring ops are not merged, hoisted out of a loop or removed, though their
// results are unused and their operands loop-invariant.
// CHECK-LABEL: @effects(
tile.func @effects(%p: tensor<32x!tile.ptr<f32>, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: warp.ring
  %ring = warp.ring : !ring
  // CHECK: scf.for
  scf.for %i = %c0 to %n step %c1 : i32 {
    // CHECK-NEXT: warp.ring.acquire
    // CHECK-NEXT: warp.async_copy
    // CHECK-NEXT: warp.ring.commit
    // CHECK-NEXT: warp.ring.wait
    // CHECK-NEXT: warp.ring.release
    // CHECK-NEXT: warp.ring.acquire
    // CHECK-NEXT: warp.async_copy
    // CHECK-NEXT: warp.ring.commit
    // CHECK-NEXT: warp.ring.wait
    // CHECK-NEXT: warp.ring.release
    %e, %a = warp.ring.acquire %ring[%c0] : !ring
    warp.async_copy %p, %a vector 1 : tensor<32x!tile.ptr<f32>, #rows>, !warp.shared<32xf32, #shared>
    warp.ring.commit %e
    %f, %b = warp.ring.wait %ring[%c0] pending 0 : !ring
    warp.ring.release %f
    %e1, %a1 = warp.ring.acquire %ring[%c0] : !ring
    warp.async_copy %p, %a1 vector 1 : tensor<32x!tile.ptr<f32>, #rows>, !warp.shared<32xf32, #shared>
    warp.ring.commit %e1
    %f1, %b1 = warp.ring.wait %ring[%c0] pending 0 : !ring
    warp.ring.release %f1
  }
  tile.return
}
