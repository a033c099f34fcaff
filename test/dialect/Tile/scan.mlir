// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @sums
tile.func @sums(%x: tensor<32x64xf32>) -> tensor<32x64xf32> {
  // CHECK: "tile.scan"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[S]] : f32
  // CHECK-NEXT: }) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  %0 = "tile.scan"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<32x64xf32>) -> tensor<32x64xf32>
  tile.return %0 : tensor<32x64xf32>
}

// In reverse, and of two tiles.
// CHECK-LABEL: tile.func @two
tile.func @two(%x: tensor<64xf32>, %i: tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>) {
  // CHECK: %{{.*}}:2 = "tile.scan"(%{{.*}}, %{{.*}}) <{axis = 0 : i32, reverse}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  %0:2 = "tile.scan"(%x, %i) <{axis = 0 : i32, reverse}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %s = arith.mulf %a, %b : f32
    %t = arith.ori %ai, %bi : i32
    tile.yield %s, %t : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (tensor<64xf32>, tensor<64xi32>)
  tile.return %0#0, %0#1 : tensor<64xf32>, tensor<64xi32>
}
