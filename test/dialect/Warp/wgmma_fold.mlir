// RUN: tilewright-opt %s -canonicalize -cse -loop-invariant-code-motion | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>

// An unused wgmma is removed.
// CHECK-LABEL: @unused
// CHECK-NOT: warp.wgmma
// CHECK: tile.return
tile.func @unused(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// Neither the wgmma nor the wait nor the fence is hoisted, although their
// operands are loop-invariant: the memory may have changed.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait
// CHECK-NEXT: scf.yield
tile.func @loop(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>, %n: i32, %p: !tile.ptr<f32>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%last = %c) -> tensor<64x16xf32, #c> : i32 {
    warp.proxy_fence
    %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %q, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}
