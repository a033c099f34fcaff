// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// The source is loaded into a buffer, from which a chunk of the result is
// gathered at once. No index reaches out of the buffer.
// CHECK-LABEL: llvm.func @gather(
// CHECK: %[[LAST:.*]] = arith.constant dense<63> : vector<16xi32>
// CHECK: scf.for
// CHECK: llvm.store {{.*}} : vector<16xf32>
// CHECK: %[[INSIDE:.*]] = arith.minui %{{.*}}, %[[LAST]] : vector<16xi32>
// CHECK: %[[WIDE:.*]] = arith.extui %[[INSIDE]] : vector<16xi32> to vector<16xi64>
// CHECK: llvm.intr.masked.gather
tile.func @gather(%x: !tile.ptr<f32>, %i: !tile.ptr<i32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %is = tile.splat %i : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %ip = tile.addptr %is, %s : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %n = tile.load %ip : tensor<16x!tile.ptr<i32>>
  %g = tile.gather %v[%n] {axis = 0 : i32} : tensor<64xf32>, tensor<16xi32> -> tensor<16xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %s : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %yp, %g : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// Counts start at zero. A number out of range adds zero to the last count.
// CHECK-LABEL: llvm.func @histogram(
// CHECK-DAG: %[[SIZE:.*]] = arith.constant 16 : i32
// CHECK-DAG: %[[LAST:.*]] = arith.constant 15 : i32
// CHECK-DAG: %[[ZERO:.*]] = arith.constant dense<0> : vector<16xi32>
// CHECK: llvm.store %[[ZERO]]
// CHECK: scf.for
// CHECK: %[[INSIDE:.*]] = arith.cmpi ult, %[[NUMBER:.*]], %[[SIZE]] : i32
// CHECK: %[[COUNTED:.*]] = arith.andi %[[INSIDE]]
// CHECK: arith.minui %[[NUMBER]], %[[LAST]] : i32
// CHECK: %[[MORE:.*]] = arith.extui %[[COUNTED]] : i1 to i32
// CHECK: arith.addi %{{.*}}, %[[MORE]] : i32
// CHECK-NOT: scf.if
// CHECK: llvm.store
tile.func @histogram(%x: !tile.ptr<i32>, %n: i32, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<i32>>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %h = tile.histogram %v, %m : tensor<64xi32> -> tensor<16xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %s : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %yp, %h : tensor<16x!tile.ptr<i32>>
  tile.return
}
