// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// Without control flow: on whole vectors.
// CHECK-LABEL: llvm.func @vectors(
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK-NOT: arith.addf
tile.func @vectors(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %v = tile.load %xp : tensor<16x!tile.ptr<f32>>
  %m = "tile.map"(%v) <{pack = 2 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %a : f32
    tile.yield %s, %b : f32, f32
  }) : (tensor<16xf32>) -> tensor<16xf32>
  tile.store %xp, %m : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// With control flow: element by element.
// CHECK-LABEL: llvm.func @branch(
// CHECK: scf.for
// CHECK: arith.cmpi sgt, %{{.*}} : i32
// CHECK: scf.if {{.*}} -> (i32)
tile.func @branch(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  %v = tile.load %xp : tensor<16x!tile.ptr<i32>>
  %m = "tile.map"(%v) <{pack = 1 : i32}> ({
  ^bb0(%a: i32):
    %positive = arith.cmpi sgt, %a, %zero : i32
    %s = scf.if %positive -> i32 {
      %q = arith.divsi %a, %a : i32
      scf.yield %q : i32
    } else {
      scf.yield %zero : i32
    }
    tile.yield %s : i32
  }) : (tensor<16xi32>) -> tensor<16xi32>
  tile.store %xp, %m : tensor<16x!tile.ptr<i32>>
  tile.return
}
