// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @casts
tile.func @casts(%i: i64, %p: !tile.ptr<f32>, %ti: tensor<8xi64>, %tp: tensor<8x!tile.ptr<f32>>) {
  // CHECK: tile.int_to_ptr %{{.*}} : i64 -> !tile.ptr<f32>
  // CHECK: tile.int_to_ptr %{{.*}} : tensor<8xi64> -> tensor<8x!tile.ptr<f32>>
  // CHECK: tile.ptr_to_int %{{.*}} : !tile.ptr<f32> -> i64
  // CHECK: tile.ptr_to_int %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  // CHECK: tile.bitcast %{{.*}} : !tile.ptr<f32> -> !tile.ptr<i8>
  // CHECK: tile.bitcast %{{.*}} : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i64>>
  %0 = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  %1 = tile.int_to_ptr %ti : tensor<8xi64> -> tensor<8x!tile.ptr<f32>>
  %2 = tile.ptr_to_int %p : !tile.ptr<f32> -> i64
  %3 = tile.ptr_to_int %tp : tensor<8x!tile.ptr<f32>> -> tensor<8xi64>
  %4 = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i8>
  %5 = tile.bitcast %tp : tensor<8x!tile.ptr<f32>> -> tensor<8x!tile.ptr<i64>>
  tile.return
}
