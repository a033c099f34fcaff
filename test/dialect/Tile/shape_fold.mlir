// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// A range of one element is a constant.
// CHECK-LABEL: tile.func @range_of_one
// CHECK-NEXT: arith.constant dense<-7> : tensor<1xi32>
tile.func @range_of_one() -> tensor<1xi32> {
  %0 = tile.range {start = -7 : i32, end = -6 : i32} : tensor<1xi32>
  tile.return %0 : tensor<1xi32>
}

// More are not.
// CHECK-LABEL: tile.func @range_of_two
// CHECK-NEXT: tile.range
tile.func @range_of_two() -> tensor<2xi32> {
  %0 = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  tile.return %0 : tensor<2xi32>
}

// Constants pass through every op that only changes shapes.
// CHECK-LABEL: tile.func @constant
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<1.500000e+00> : tensor<8x32xf32>
// CHECK-NEXT: tile.return %[[C]]
tile.func @constant() -> tensor<8x32xf32> {
  %c = arith.constant 1.5 : f32
  %0 = tile.splat %c : f32 -> tensor<16xf32>
  %1 = tile.expand_dims %0 {axis = 0 : i32} : tensor<16xf32> -> tensor<1x16xf32>
  %2 = tile.broadcast %1 : tensor<1x16xf32> -> tensor<16x16xf32>
  %3 = tile.reshape %2 : tensor<16x16xf32> -> tensor<32x8xf32>
  %4 = tile.transpose %3 {order = array<i32: 1, 0>} : tensor<32x8xf32> -> tensor<8x32xf32>
  tile.return %4 : tensor<8x32xf32>
}

// A constant that is not a splat keeps its op.
// CHECK-LABEL: tile.func @ramp
// CHECK: tile.transpose
tile.func @ramp() -> tensor<2x2xi32> {
  %c = arith.constant dense<[[1, 2], [3, 4]]> : tensor<2x2xi32>
  %0 = tile.transpose %c {order = array<i32: 1, 0>} : tensor<2x2xi32> -> tensor<2x2xi32>
  tile.return %0 : tensor<2x2xi32>
}

// CHECK-LABEL: tile.func @identities(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: tile.return %[[X]], %[[X]], %[[X]]
tile.func @identities(%x: tensor<4x8xf32>) -> (tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>) {
  %0 = tile.broadcast %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %1 = tile.reshape %x : tensor<4x8xf32> -> tensor<4x8xf32>
  %2 = tile.transpose %x {order = array<i32: 0, 1>} : tensor<4x8xf32> -> tensor<4x8xf32>
  tile.return %0, %1, %2 : tensor<4x8xf32>, tensor<4x8xf32>, tensor<4x8xf32>
}

// Two reshapes are merged, and removed if the shape is the original one.
// CHECK-LABEL: tile.func @reshapes(
// CHECK-SAME: %[[X:.*]]: tensor<4x8xf32>
// CHECK-NEXT: %[[R:.*]] = tile.reshape %[[X]] : tensor<4x8xf32> -> tensor<2x16xf32>
// CHECK-NEXT: tile.return %[[R]], %[[X]]
tile.func @reshapes(%x: tensor<4x8xf32>) -> (tensor<2x16xf32>, tensor<4x8xf32>) {
  %0 = tile.reshape %x : tensor<4x8xf32> -> tensor<32xf32>
  %1 = tile.reshape %0 : tensor<32xf32> -> tensor<2x16xf32>
  %2 = tile.reshape %0 : tensor<32xf32> -> tensor<4x8xf32>
  tile.return %1, %2 : tensor<2x16xf32>, tensor<4x8xf32>
}

// Two transposes are merged: result dimension i is source dimension inner[outer[i]].
// CHECK-LABEL: tile.func @transposes(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
// CHECK-NEXT: %[[T:.*]] = tile.transpose %[[X]] {order = array<i32: 2, 1, 0>} : tensor<2x4x8xf32> -> tensor<8x4x2xf32>
// CHECK-NEXT: tile.return %[[T]]
tile.func @transposes(%x: tensor<2x4x8xf32>) -> tensor<8x4x2xf32> {
  %0 = tile.transpose %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tile.transpose %0 {order = array<i32: 1, 0, 2>} : tensor<4x8x2xf32> -> tensor<8x4x2xf32>
  tile.return %1 : tensor<8x4x2xf32>
}

// A transpose and its inverse.
// CHECK-LABEL: tile.func @transpose_back(
// CHECK-SAME: %[[X:.*]]: tensor<2x4x8xf32>
// CHECK-NEXT: tile.return %[[X]]
tile.func @transpose_back(%x: tensor<2x4x8xf32>) -> tensor<2x4x8xf32> {
  %0 = tile.transpose %x {order = array<i32: 1, 2, 0>} : tensor<2x4x8xf32> -> tensor<4x8x2xf32>
  %1 = tile.transpose %0 {order = array<i32: 2, 0, 1>} : tensor<4x8x2xf32> -> tensor<2x4x8xf32>
  tile.return %1 : tensor<2x4x8xf32>
}

// Unused ops are removed.
// CHECK-LABEL: tile.func @unused
// CHECK-NEXT: tile.return
tile.func @unused(%x: f32) {
  %0 = tile.splat %x : f32 -> tensor<8xf32>
  tile.return
}

// -----

// Added dimensions of size 1 are distinguished from those of the source.

// CHECK-LABEL: @reshape_adds_dims
// CHECK: %[[A:.*]] = tile.expand_dims %{{.*}} {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
// CHECK: %[[B:.*]] = tile.expand_dims %{{.*}} {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
// CHECK: %[[C:.*]] = tile.expand_dims %[[B]] {axis = 2 : i32} : tensor<1x64xi32> -> tensor<1x64x1xi32>
// CHECK: %[[D:.*]] = tile.reshape %{{.*}} : tensor<64xi32> -> tensor<1x8x8xi32>
// CHECK: return %[[A]], %[[C]], %[[D]]
func.func @reshape_adds_dims(%x: tensor<64xi32>) -> (tensor<64x1xi32>, tensor<1x64x1xi32>, tensor<1x8x8xi32>) {
  %a = tile.reshape %x : tensor<64xi32> -> tensor<64x1xi32>
  %b = tile.reshape %x : tensor<64xi32> -> tensor<1x64x1xi32>
  %c = tile.reshape %x : tensor<64xi32> -> tensor<1x8x8xi32>
  return %a, %b, %c : tensor<64x1xi32>, tensor<1x64x1xi32>, tensor<1x8x8xi32>
}
