// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// Along the lanes: whole vectors first, then both halves of the last one.
// CHECK-LABEL: llvm.func @along(
// CHECK: scf.for {{.*}} -> (vector<32xf32>)
// CHECK: arith.addf {{.*}} : vector<32xf32>
// CHECK: vector.shuffle
// CHECK: arith.addf {{.*}} : vector<16xf32>
// CHECK: arith.addf {{.*}} : vector<8xf32>
// CHECK: arith.addf {{.*}} : vector<4xf32>
// CHECK: arith.addf {{.*}} : vector<2xf32>
// CHECK: arith.addf {{.*}} : f32
tile.func @along(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<256xf32>) -> f32
  tile.store %y, %s : !tile.ptr<f32>
  tile.return
}

// -----

// If the function does not commute, each chunk is folded on its own, neighbours first, and combined after the
// previous ones.
// CHECK-LABEL: llvm.func @in_order(
// CHECK: scf.for {{.*}} iter_args(%[[BEFORE:.*]] = %{{.*}}) -> (i32)
// CHECK: vector.shuffle {{.*}} [0, 2, 4, 6, 8, 10, 12, 14, 16, 18, 20, 22, 24, 26, 28, 30]
// CHECK: vector.shuffle {{.*}} [1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31]
// CHECK: arith.subi {{.*}} : vector<16xi32>
// CHECK: arith.subi {{.*}} : vector<8xi32>
// CHECK: arith.subi {{.*}} : vector<4xi32>
// CHECK: arith.subi {{.*}} : vector<2xi32>
// CHECK: %[[CHUNK:.*]] = arith.subi {{.*}} : i32
// CHECK: arith.subi %[[BEFORE]], %[[CHUNK]] : i32
tile.func @in_order(%x: !tile.ptr<i32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %v = tile.load %xp : tensor<256x!tile.ptr<i32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.subi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<256xi32>) -> i32
  tile.store %y, %s : !tile.ptr<i32>
  tile.return
}

// -----

// Across the lanes: each lane folds its own column, nothing is shuffled.
// CHECK-LABEL: llvm.func @across(
// CHECK-NOT: vector.shuffle
// CHECK: scf.for {{.*}} -> (vector<16xi32>)
// CHECK: arith.maxsi {{.*}} : vector<16xi32>
// CHECK-NOT: vector.shuffle
tile.func @across(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %q = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %v = tile.reshape %r : tensor<512xi32> -> tensor<32x16xi32>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<32x16xi32>) -> tensor<16xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %q : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %yp, %s : tensor<16x!tile.ptr<i32>>
  tile.return
}

// -----

// Control flow in the region: element by element.
// CHECK-LABEL: llvm.func @scalar(
// CHECK: scf.for {{.*}} -> (i32)
// CHECK: scf.if {{.*}} -> (i32)
// CHECK-NOT: vector<{{.*}}xi32>
tile.func @scalar(%y: !tile.ptr<i32>) attributes {tile.kernel} {
  %v = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %gt = arith.cmpi sgt, %a, %b : i32
    %c = scf.if %gt -> (i32) {
      %d = arith.subi %a, %b : i32
      scf.yield %d : i32
    } else {
      scf.yield %b : i32
    }
    tile.yield %c : i32
  }) : (tensor<32xi32>) -> i32
  tile.store %y, %s : !tile.ptr<i32>
  tile.return
}
