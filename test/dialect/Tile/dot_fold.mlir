// RUN: tilewright-opt %s -canonicalize | FileCheck %s

// An integer dot with zero returns the accumulator.
// CHECK-LABEL: @integer_zero
// CHECK-SAME: %{{.*}}: tensor<32x16xi8>, %[[C:.*]]: tensor<16x16xi32>
tile.func @integer_zero(%b: tensor<32x16xi8>, %c: tensor<16x16xi32>) -> tensor<16x16xi32> {
  %zero = arith.constant dense<0> : tensor<16x32xi8>
  %d = tile.dot %zero, %b, %c : tensor<16x32xi8>, tensor<32x16xi8>, tensor<16x16xi32>
  // CHECK-NOT: tile.dot
  // CHECK: tile.return %[[C]]
  tile.return %d : tensor<16x16xi32>
}

// Zero times infinity is NaN: dots of floats stay.
// CHECK-LABEL: @float_zero
tile.func @float_zero(%b: tensor<32x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x32xf16>
  // CHECK: tile.dot
  %d = tile.dot %zero, %b, %c : tensor<16x32xf16>, tensor<32x16xf16>, tensor<16x16xf32>
  tile.return %d : tensor<16x16xf32>
}
