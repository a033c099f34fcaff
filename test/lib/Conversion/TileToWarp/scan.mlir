// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp=num-warps=4 | FileCheck %s

// Rows of 128 bytes may be read by any threads. A thread takes four consecutive
// elements, then lanes follow, then warps. Nothing moves between the load, the
// scan down the rows and the store.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [4, 0], [8, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// CHECK-LABEL: tile.func @rows
// CHECK: tile.load {{.*}} : tensor<64x32x!tile.ptr<f32>, #[[L]]>
// CHECK: (tensor<64x32xf32, #[[L]]>) -> tensor<64x32xf32, #[[L]]>
// CHECK-NOT: warp.convert_layout
tile.func @rows(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 2048 : i32} : tensor<2048xi32>
  %i = tile.reshape %r : tensor<2048xi32> -> tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %i : tensor<64x32x!tile.ptr<f32>>, tensor<64x32xi32>
  %x = tile.load %pp : tensor<64x32x!tile.ptr<f32>>
  %s = "tile.scan"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64x32xf32>) -> tensor<64x32xf32>
  tile.store %pp, %s : tensor<64x32x!tile.ptr<f32>>
  tile.return
}
