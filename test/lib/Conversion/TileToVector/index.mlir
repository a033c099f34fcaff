// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// The source is loaded into a buffer; from there a chunk of the result is
// picked at once. No index reaches out of the buffer.
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
