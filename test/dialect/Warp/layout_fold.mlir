// RUN: tilewright-opt %s -canonicalize | FileCheck %s

#a = #warp.linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]]}>
#b = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]]}>
#c = #warp.linear<{register = [[16]], lane = [[1], [2], [4], [8], [32]]}>

// CHECK-DAG: #[[A:.*]] = #warp.linear<{register = {{\[\[}}32]]
// CHECK-DAG: #[[C:.*]] = #warp.linear<{register = {{\[\[}}16]]

// CHECK-LABEL: @same(
// CHECK-SAME: %[[X:.*]]: tensor
tile.func @same(%x: tensor<64xf32, #a>) -> tensor<64xf32, #a> {
  %0 = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #a>
  // CHECK-NEXT: tile.return %[[X]]
  tile.return %0 : tensor<64xf32, #a>
}

// CHECK-LABEL: @there_and_back(
// CHECK-SAME: %[[X:.*]]: tensor
tile.func @there_and_back(%x: tensor<64xf32, #a>) -> tensor<64xf32, #a> {
  %0 = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %1 = warp.convert_layout %0 : tensor<64xf32, #b> -> tensor<64xf32, #a>
  // CHECK-NEXT: tile.return %[[X]]
  tile.return %1 : tensor<64xf32, #a>
}

// CHECK-LABEL: @twice(
// CHECK-SAME: %[[X:.*]]: tensor
tile.func @twice(%x: tensor<64xf32, #a>) -> tensor<64xf32, #c> {
  %0 = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %1 = warp.convert_layout %0 : tensor<64xf32, #b> -> tensor<64xf32, #c>
  // CHECK-NEXT: %[[Y:.*]] = warp.convert_layout %[[X]] : tensor<64xf32, #[[A]]> -> tensor<64xf32, #[[C]]>
  // CHECK-NEXT: tile.return %[[Y]]
  tile.return %1 : tensor<64xf32, #c>
}

// CHECK-LABEL: @constant(
tile.func @constant() -> tensor<64xf32, #c> {
  %x = arith.constant dense<1.0> : tensor<64xf32, #a>
  %0 = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #c>
  // CHECK-NEXT: arith.constant dense<1.000000e+00> : tensor<64xf32, #[[C]]>
  // CHECK-NEXT: tile.return
  tile.return %0 : tensor<64xf32, #c>
}

// CHECK-LABEL: @local(
// CHECK-SAME: %[[X:.*]]: f32
tile.func @local(%x: f32) -> (tensor<64xf32, #c>, tensor<64xi32, #c>) {
  // CHECK-DAG: tile.splat %[[X]] : f32 -> tensor<64xf32, #[[C]]>
  // CHECK-DAG: tile.range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #[[C]]>
  // CHECK-NOT: convert_layout
  %s = tile.splat %x : f32 -> tensor<64xf32, #a>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #b>
  %0 = warp.convert_layout %s : tensor<64xf32, #a> -> tensor<64xf32, #c>
  %1 = warp.convert_layout %r : tensor<64xi32, #b> -> tensor<64xi32, #c>
  tile.return %0, %1 : tensor<64xf32, #c>, tensor<64xi32, #c>
}
