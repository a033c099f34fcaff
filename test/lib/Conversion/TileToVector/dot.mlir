// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// Four rows of two registers stay in registers during the loop over K (16 registers in all: six rows do not divide
// 32).
// CHECK-LABEL: llvm.func @f32(
// CHECK: scf.for {{.*}} -> (vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>, vector<8xf32>)
// CHECK-COUNT-8: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>, vector<8xf32>, vector<8xf32>) -> vector<8xf32>
// CHECK-NOT: llvm.intr.fmuladd
tile.func @f32(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %r = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %o = tile.reshape %r : tensor<1024xi32> -> tensor<32x32xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %v = tile.load %xp : tensor<32x32x!tile.ptr<f32>>
  %d = tile.dot %v, %v, %zero : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
  tile.store %xp, %d : tensor<32x32x!tile.ptr<f32>>
  tile.return
}

// -----

// Short floats are widened once, when an operand is packed.
// CHECK-LABEL: llvm.func @f16(
// CHECK: arith.extf {{.*}} : vector<16xf16> to vector<16xf32>
// CHECK: llvm.intr.fmuladd({{.*}}) : (vector<8xf32>
tile.func @f16(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %xp = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %v = tile.load %xp : tensor<16x16x!tile.ptr<f16>>
  %d = tile.dot %v, %v, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  tile.store %yp, %d : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @i8(
// CHECK: arith.extsi {{.*}} : vector<16xi8> to vector<16xi32>
// CHECK: %[[P:.*]] = arith.muli {{.*}} : vector<8xi32>
// CHECK: arith.addi {{.*}}%[[P]]{{.*}} : vector<8xi32>
tile.func @i8(%x: !tile.ptr<i8>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0> : tensor<16x16xi32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<16x16x!tile.ptr<i8>>
  %xp = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<i8>>, tensor<16x16xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %o : tensor<16x16x!tile.ptr<i32>>, tensor<16x16xi32>
  %v = tile.load %xp : tensor<16x16x!tile.ptr<i8>>
  %d = tile.dot %v, %v, %zero : tensor<16x16xi8>, tensor<16x16xi8>, tensor<16x16xi32>
  tile.store %yp, %d : tensor<16x16x!tile.ptr<i32>>
  tile.return
}

// -----

// A loop over the dots of a batch around that of each dot.
// CHECK-LABEL: llvm.func @batch(
// CHECK-DAG: %[[ONE:.*]] = arith.constant 1 : i64
// CHECK-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// CHECK: scf.for %[[B:.*]] = %{{.*}} to %[[FOUR]] step %[[ONE]]
// CHECK: arith.muli %[[B]], %{{.*}} : i64
// CHECK: scf.for {{.*}} -> (vector<8xf32>
// CHECK: llvm.intr.fmuladd
tile.func @batch(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<4x8x8xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<4x8x8xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x8x8x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %o : tensor<4x8x8x!tile.ptr<f32>>, tensor<4x8x8xi32>
  %v = tile.load %xp : tensor<4x8x8x!tile.ptr<f32>>
  %d = tile.dot %v, %v, %zero : tensor<4x8x8xf32>, tensor<4x8x8xf32>, tensor<4x8x8xf32>
  tile.store %xp, %d : tensor<4x8x8x!tile.ptr<f32>>
  tile.return
}
