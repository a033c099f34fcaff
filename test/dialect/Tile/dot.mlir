// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Every pair of operand and accumulator types.
// CHECK-LABEL: tile.func @types
tile.func @types(
    %h: tensor<16x8xf16>, %h2: tensor<8x32xf16>, %b: tensor<16x8xbf16>, %b2: tensor<8x32xbf16>,
    %s: tensor<16x8xf32>, %s2: tensor<8x32xf32>, %d: tensor<16x8xf64>, %d2: tensor<8x32xf64>,
    %i: tensor<16x8xi8>, %i2: tensor<8x32xi8>, %e: tensor<16x8xf8E4M3FN>, %e2: tensor<8x32xf8E5M2>,
    %ch: tensor<16x32xf16>, %cs: tensor<16x32xf32>, %cd: tensor<16x32xf64>, %ci: tensor<16x32xi32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf16>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision = tf32 : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} precision = tf32x3 : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf64>, tensor<8x32xf64>, tensor<16x32xf64>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xi8>, tensor<8x32xi8>, tensor<16x32xi32>
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<16x8xf8E4M3FN>, tensor<8x32xf8E5M2>, tensor<16x32xf32>
  %0 = tile.dot %h, %h2, %cs : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  %1 = tile.dot %h, %h2, %ch : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf16>
  %2 = tile.dot %b, %b2, %cs : tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xf32>
  %3 = tile.dot %s, %s2, %cs : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  %4 = tile.dot %s, %s2, %cs precision = tf32 : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  %5 = tile.dot %s, %s2, %cs precision = tf32x3 : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf32>
  %6 = tile.dot %d, %d2, %cd : tensor<16x8xf64>, tensor<8x32xf64>, tensor<16x32xf64>
  %7 = tile.dot %i, %i2, %ci : tensor<16x8xi8>, tensor<8x32xi8>, tensor<16x32xi32>
  %8 = tile.dot %e, %e2, %cs : tensor<16x8xf8E4M3FN>, tensor<8x32xf8E5M2>, tensor<16x32xf32>
  tile.return
}

// A dot for each index of the first dimension.
// CHECK-LABEL: tile.func @batch
tile.func @batch(%a: tensor<4x16x8xf16>, %b: tensor<4x8x32xf16>, %c: tensor<4x16x32xf32>) {
  // CHECK: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<4x16x8xf16>, tensor<4x8x32xf16>, tensor<4x16x32xf32>
  %0 = tile.dot %a, %b, %c : tensor<4x16x8xf16>, tensor<4x8x32xf16>, tensor<4x16x32xf32>
  tile.return
}
