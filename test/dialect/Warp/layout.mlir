// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// CHECK: #[[ROWS:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [16, 0]], lane = {{\[\[}}0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = {{\[\[}}32, 0], [0, 0]], block = []}>
#rows = #warp.linear<{register = [[0, 1], [16, 0]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[32, 0], [0, 0]], block = []}>
// CHECK: #[[COLUMNS:.*]] = #warp.linear<{register = {{\[\[}}32, 0], [0, 1]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 0], [0, 2]], block = []}>
// Omitted axes have no bits, and the order of the axes is free.
#columns = #warp.linear<{warp = [[0, 0], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], register = [[32, 0], [0, 1]]}>

// CHECK-LABEL: @convert
// CHECK-SAME: %[[X:.*]]: tensor<64x4xf32, #[[ROWS]]>
tile.func @convert(%x: tensor<64x4xf32, #rows>) -> tensor<64x4xf32, #columns> attributes {warp.num_warps = 4 : i32} {
  // CHECK: warp.convert_layout %[[X]] : tensor<64x4xf32, #[[ROWS]]> -> tensor<64x4xf32, #[[COLUMNS]]>
  %y = warp.convert_layout %x : tensor<64x4xf32, #rows> -> tensor<64x4xf32, #columns>
  tile.return %y : tensor<64x4xf32, #columns>
}

// The layouts of results follow from those of operands.
// CHECK-LABEL: @shapes
tile.func @shapes(%x: tensor<64x4xf32, #rows>) {
  // CHECK: tile.reduce
  // CHECK: -> tensor<64xf32, #[[REDUCED:.*]]>
  %r = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<64x4xf32, #rows>) -> tensor<64xf32, #warp.linear<{register = [[16]], lane = [[0], [1], [2], [4], [8]], warp = [[32], [0]]}>>
  // CHECK: tile.expand_dims
  %e = tile.expand_dims %r {axis = 1 : i32} : tensor<64xf32, #warp.linear<{register = [[16]], lane = [[0], [1], [2], [4], [8]], warp = [[32], [0]]}>> -> tensor<64x1xf32, #warp.linear<{register = [[16, 0]], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[32, 0], [0, 0]]}>>
  // Each thread holds the rows that it needs of the result.
  // CHECK: tile.broadcast
  %b = tile.broadcast %e : tensor<64x1xf32, #warp.linear<{register = [[16, 0]], lane = [[0, 0], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[32, 0], [0, 0]]}>> -> tensor<64x4xf32, #rows>
  // CHECK: tile.transpose
  %t = tile.transpose %b {order = array<i32: 1, 0>} : tensor<64x4xf32, #rows> -> tensor<4x64xf32, #warp.linear<{register = [[1, 0], [0, 16]], lane = [[2, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 32], [0, 0]]}>>
  // CHECK: tile.reshape
  %f = tile.reshape %x : tensor<64x4xf32, #rows> -> tensor<256xf32, #warp.linear<{register = [[1], [64]], lane = [[2], [4], [8], [16], [32]], warp = [[128], [0]]}>>
  tile.return
}
