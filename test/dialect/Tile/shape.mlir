// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @range
tile.func @range() -> (tensor<128xi32>, tensor<5xi32>) {
  // CHECK: tile.range {end = 128 : i32, start = 0 : i32} : tensor<128xi32>
  // CHECK: tile.range {end = 2 : i32, start = -3 : i32} : tensor<5xi32>
  %0 = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %1 = tile.range {start = -3 : i32, end = 2 : i32} : tensor<5xi32>
  tile.return %0, %1 : tensor<128xi32>, tensor<5xi32>
}

// CHECK-LABEL: tile.func @splat
tile.func @splat(%x: f32, %p: !tile.ptr<f16>) -> (tensor<64x32xf32>, tensor<8x!tile.ptr<f16>>) {
  // CHECK: tile.splat %{{.*}} : f32 -> tensor<64x32xf32>
  // CHECK: tile.splat %{{.*}} : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  %0 = tile.splat %x : f32 -> tensor<64x32xf32>
  %1 = tile.splat %p : !tile.ptr<f16> -> tensor<8x!tile.ptr<f16>>
  tile.return %0, %1 : tensor<64x32xf32>, tensor<8x!tile.ptr<f16>>
}

// CHECK-LABEL: tile.func @expand_dims
tile.func @expand_dims(%x: tensor<4x8xi32>) -> (tensor<1x4x8xi32>, tensor<4x1x8xi32>, tensor<4x8x1xi32>) {
  // CHECK: tile.expand_dims %{{.*}} {axis = 0 : i32} : tensor<4x8xi32> -> tensor<1x4x8xi32>
  // CHECK: tile.expand_dims %{{.*}} {axis = 1 : i32} : tensor<4x8xi32> -> tensor<4x1x8xi32>
  // CHECK: tile.expand_dims %{{.*}} {axis = 2 : i32} : tensor<4x8xi32> -> tensor<4x8x1xi32>
  %0 = tile.expand_dims %x {axis = 0 : i32} : tensor<4x8xi32> -> tensor<1x4x8xi32>
  %1 = tile.expand_dims %x {axis = 1 : i32} : tensor<4x8xi32> -> tensor<4x1x8xi32>
  %2 = tile.expand_dims %x {axis = 2 : i32} : tensor<4x8xi32> -> tensor<4x8x1xi32>
  tile.return %0, %1, %2 : tensor<1x4x8xi32>, tensor<4x1x8xi32>, tensor<4x8x1xi32>
}

// CHECK-LABEL: tile.func @broadcast
tile.func @broadcast(%x: tensor<1x8x1xi1>) -> tensor<4x8x2xi1> {
  // CHECK: tile.broadcast %{{.*}} : tensor<1x8x1xi1> -> tensor<4x8x2xi1>
  %0 = tile.broadcast %x : tensor<1x8x1xi1> -> tensor<4x8x2xi1>
  tile.return %0 : tensor<4x8x2xi1>
}

// CHECK-LABEL: tile.func @reshape
tile.func @reshape(%x: tensor<2048xbf16>) -> tensor<32x64xbf16> {
  // CHECK: tile.reshape %{{.*}} : tensor<2048xbf16> -> tensor<32x64xbf16>
  %0 = tile.reshape %x : tensor<2048xbf16> -> tensor<32x64xbf16>
  tile.return %0 : tensor<32x64xbf16>
}

// CHECK-LABEL: tile.func @transpose
tile.func @transpose(%x: tensor<2x4x8xf64>) -> tensor<8x2x4xf64> {
  // CHECK: tile.transpose %{{.*}} {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf64> -> tensor<8x2x4xf64>
  %0 = tile.transpose %x {order = array<i32: 2, 0, 1>} : tensor<2x4x8xf64> -> tensor<8x2x4xf64>
  tile.return %0 : tensor<8x2x4xf64>
}
