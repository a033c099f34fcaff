// RUN: tilewright-opt %s -convert-tile-to-warp=num-warps=1 | FileCheck %s

// A step of a sorting network extracts both elements of each pair by sums and
// joins the results again. Each thread has the sum that replaces its element,
// so nothing moves and no thread gets more elements.
// CHECK-DAG: #[[FLAT:.*]] = #warp.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = [], block = []}>
// CHECK-DAG: #[[PAIRS:.*]] = #warp.linear<{register = [], lane = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 1, 0], [1, 0, 0], [2, 0, 0]], warp = [], block = []}>
// CHECK-LABEL: tile.func @step
// CHECK: "tile.reduce"
// CHECK: tile.broadcast {{.*}} -> tensor<4x2x4xi32, #[[PAIRS]]>
// CHECK: tile.reshape {{.*}} -> tensor<32xi32, #[[FLAT]]>
// CHECK: tile.store {{.*}} : tensor<32x!tile.ptr<i32>, #[[FLAT]]>
// CHECK-NOT: warp.convert_layout
tile.func @step(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>>
  %q = tile.addptr %ps, %r : tensor<32x!tile.ptr<i32>>, tensor<32xi32>
  %x = tile.load %q : tensor<32x!tile.ptr<i32>>
  %pairs = tile.reshape %x : tensor<32xi32> -> tensor<4x2x4xi32>
  %sum = "tile.reduce"(%pairs) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %s = arith.addi %a, %b : i32
    tile.yield %s : i32
  }) : (tensor<4x2x4xi32>) -> tensor<4x4xi32>
  %short = arith.trunci %sum : tensor<4x4xi32> to tensor<4x4xi16>
  %long = arith.extsi %short : tensor<4x4xi16> to tensor<4x4xi32>
  %e = tile.expand_dims %long {axis = 1 : i32} : tensor<4x4xi32> -> tensor<4x1x4xi32>
  %b = tile.broadcast %e : tensor<4x1x4xi32> -> tensor<4x2x4xi32>
  %flat = tile.reshape %b : tensor<4x2x4xi32> -> tensor<32xi32>
  %y = arith.xori %x, %flat : tensor<32xi32>
  tile.store %q, %y : tensor<32x!tile.ptr<i32>>
  tile.return
}
