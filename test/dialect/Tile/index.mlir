// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @gather
tile.func @gather(%x: tensor<64x32xf32>, %rows: tensor<8x32xi32>, %columns: tensor<64x1xi32>) -> (tensor<8x32xf32>, tensor<64x1xf32>) {
  // CHECK: tile.gather %{{.*}}[%{{.*}}] {axis = 0 : i32} : tensor<64x32xf32>, tensor<8x32xi32> -> tensor<8x32xf32>
  %0 = tile.gather %x[%rows] {axis = 0 : i32} : tensor<64x32xf32>, tensor<8x32xi32> -> tensor<8x32xf32>
  // CHECK: tile.gather %{{.*}}[%{{.*}}] {axis = 1 : i32} : tensor<64x32xf32>, tensor<64x1xi32> -> tensor<64x1xf32>
  %1 = tile.gather %x[%columns] {axis = 1 : i32} : tensor<64x32xf32>, tensor<64x1xi32> -> tensor<64x1xf32>
  tile.return %0, %1 : tensor<8x32xf32>, tensor<64x1xf32>
}

// CHECK-LABEL: tile.func @histogram
tile.func @histogram(%x: tensor<4x32xi32>, %m: tensor<4x32xi1>) -> (tensor<8xi32>, tensor<8xi32>) {
  // CHECK: tile.histogram %{{.*}} : tensor<4x32xi32> -> tensor<8xi32>
  %0 = tile.histogram %x : tensor<4x32xi32> -> tensor<8xi32>
  // CHECK: tile.histogram %{{.*}}, %{{.*}} : tensor<4x32xi32> -> tensor<8xi32>
  %1 = tile.histogram %x, %m : tensor<4x32xi32> -> tensor<8xi32>
  tile.return %0, %1 : tensor<8xi32>, tensor<8xi32>
}
