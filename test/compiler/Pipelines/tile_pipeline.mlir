// RUN: tilewright-opt %s -tile-pipeline | FileCheck %s

// Calls are inlined and their callees erased, equal load addresses are computed
// once, and loop invariants are hoisted.

// CHECK-NOT: @address
// CHECK-LABEL: tile.func @kernel
// CHECK: tile.range
// CHECK: %[[P:.*]] = tile.addptr
// CHECK-NOT: tile.addptr
// CHECK: scf.for
// CHECK-NEXT: tile.load %[[P]] :
// CHECK-NEXT: arith.addf
// CHECK-NEXT: scf.yield
// CHECK: tile.store %[[P]]
// CHECK-NOT: tile.call
tile.func @address(%p: !tile.ptr<f32>) -> tensor<16x!tile.ptr<f32>> {
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %s, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.return %q : tensor<16x!tile.ptr<f32>>
}

tile.func @kernel(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<16xf32> : i32 {
    %q = tile.call @address(%p) : (!tile.ptr<f32>) -> tensor<16x!tile.ptr<f32>>
    %x = tile.load %q : tensor<16x!tile.ptr<f32>>
    %next = arith.addf %acc, %x : tensor<16xf32>
    scf.yield %next : tensor<16xf32>
  }
  %q = tile.call @address(%p) : (!tile.ptr<f32>) -> tensor<16x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<16x!tile.ptr<f32>>
  tile.return
}
