// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @kernel(
// CHECK-SAME: %[[PTR:.*]]: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %[[N:.*]]: i32)
// CHECK-SAME: attributes {tile.kernel}
tile.func @kernel(%ptr: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  // CHECK: tile.program_id x
  // CHECK: tile.program_id y
  // CHECK: tile.program_id z
  %x = tile.program_id x
  %y = tile.program_id y
  %z = tile.program_id z
  // CHECK: tile.num_programs x
  // CHECK: tile.num_programs y
  // CHECK: tile.num_programs z
  %nx = tile.num_programs x
  %ny = tile.num_programs y
  %nz = tile.num_programs z
  // CHECK: tile.return
  tile.return
}

// CHECK-LABEL: tile.func @constant(
// CHECK-SAME: !tile.ptr<f32> {tile.constant}
tile.func @constant(%p: !tile.ptr<f32> {tile.constant}) attributes {tile.kernel} {
  tile.return
}

// CHECK-LABEL: tile.func private @swap(
// CHECK-SAME: -> (tensor<8xf32>, i32)
tile.func private @swap(%a: i32, %b: tensor<8xf32>) -> (tensor<8xf32>, i32) {
  // CHECK: tile.return %{{.*}}, %{{.*}} : tensor<8xf32>, i32
  tile.return %b, %a : tensor<8xf32>, i32
}

// CHECK-LABEL: tile.func @caller(
tile.func @caller(%a: i32, %b: tensor<8xf32>) {
  // CHECK: %{{.*}}:2 = tile.call @swap(%{{.*}}, %{{.*}}) : (i32, tensor<8xf32>) -> (tensor<8xf32>, i32)
  %0:2 = tile.call @swap(%a, %b) : (i32, tensor<8xf32>) -> (tensor<8xf32>, i32)
  tile.return
}
