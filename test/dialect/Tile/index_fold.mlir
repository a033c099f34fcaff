// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// All elements of the source are equal.
// CHECK-LABEL: tile.func @splat
// CHECK-NEXT: %[[C:.*]] = arith.constant dense<2.000000e+00> : tensor<4xf32>
// CHECK-NEXT: tile.return %[[C]]
tile.func @splat(%i: tensor<4xi32>) -> tensor<4xf32> {
  %c = arith.constant dense<2.0> : tensor<8xf32>
  %0 = tile.gather %c[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  tile.return %0 : tensor<4xf32>
}

// CHECK-LABEL: tile.func @unused
// CHECK-NEXT: tile.return
tile.func @unused(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  tile.return
}
