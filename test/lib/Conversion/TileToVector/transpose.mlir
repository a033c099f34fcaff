// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=128 -canonicalize -cse | FileCheck %s

// A transposed operand of a dot is packed in square blocks: four rows are read,
// transposed by shuffles, and written.
// CHECK-LABEL: llvm.func @packed(
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-4: llvm.load %{{.*}} -> vector<4xf32>
// CHECK-COUNT-8: vector.shuffle
// CHECK-COUNT-4: llvm.store %{{.*}} : vector<4xf32>
// CHECK: llvm.intr.fmuladd
// CHECK-NOT: gather
tile.func @packed(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %v = tile.load %xp : tensor<16x16x!tile.ptr<f32>>
  %t = tile.transpose %v {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  %d = tile.dot %v, %t, %zero : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  tile.store %xp, %d : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Shapes that are not made of such blocks are gathered.
// CHECK-LABEL: llvm.func @ragged(
// CHECK-NOT: vector.shuffle
// CHECK: gather
tile.func @ragged(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<18x18xf32>
  %r = tile.range {start = 0 : i32, end = 324 : i32} : tensor<324xi32>
  %o = tile.reshape %r : tensor<324xi32> -> tensor<18x18xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<18x18x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<18x18x!tile.ptr<f32>>, tensor<18x18xi32>
  %v = tile.load %xp : tensor<18x18x!tile.ptr<f32>>
  %t = tile.transpose %v {order = array<i32: 1, 0>} : tensor<18x18xf32> -> tensor<18x18xf32>
  %d = tile.dot %v, %t, %zero : tensor<18x18xf32>, tensor<18x18xf32>, tensor<18x18xf32>
  tile.store %xp, %d : tensor<18x18x!tile.ptr<f32>>
  tile.return
}
