// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90' | FileCheck %s

// The strides of both dimensions are unknown. The lanes of a warp lie along a row, and warps in different rows. A
// thread then computes addresses of 16 rows and 4 columns, not of 64 rows and one column.
// CHECK: #[[L:.*]] = #warp.linear<{register = {{\[\[}}0, 32], [0, 64], [4, 0], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0], [2, 0]]
// CHECK-LABEL: tile.func @twice
// CHECK: tile.load {{.*}} : tensor<64x128x!tile.ptr<f32>, #[[L]]>
// CHECK: tile.store {{.*}} : tensor<64x128x!tile.ptr<f32>, #[[L]]>
tile.func @twice(%p: !tile.ptr<f32>, %m: i32, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %s {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x128xi32>
  %starts = arith.muli %rows, %ms : tensor<64x1xi32>
  %steps = arith.muli %columns, %ns : tensor<1x128xi32>
  %x = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x128xi32>
  %y = tile.broadcast %steps : tensor<1x128xi32> -> tensor<64x128xi32>
  %o = arith.addi %x, %y : tensor<64x128xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x128x!tile.ptr<f32>>, tensor<64x128xi32>
  %v = tile.load %q : tensor<64x128x!tile.ptr<f32>>
  %w = arith.addf %v, %v : tensor<64x128xf32>
  tile.store %q, %w : tensor<64x128x!tile.ptr<f32>>
  tile.return
}
