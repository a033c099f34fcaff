// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s

// A chain of cheap ops after the load has no buffer of its own.
// CHECK-LABEL: llvm.func @chain(
// CHECK-COUNT-1: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: arith.mulf %{{.*}} : vector<16xf32>
// CHECK-NEXT: arith.addf %{{.*}} : vector<16xf32>
// CHECK: llvm.store
tile.func @chain(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %a = arith.mulf %v, %v : tensor<64xf32>
  %b = arith.addf %a, %v : tensor<64xf32>
  tile.store %xp, %b : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// A load with one user, a reduction, is done in the reduction's loop.
// CHECK-LABEL: llvm.func @fused(
// CHECK-NOT: llvm.alloca
// CHECK: llvm.load %{{.*}} : !llvm.ptr -> vector<32xf32>
// CHECK: arith.addf %{{.*}} : vector<32xf32>
tile.func @fused(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  tile.store %y, %s : !tile.ptr<f32>
  tile.return
}

// -----

// Memory is written in between: the load is not moved.
// CHECK-LABEL: llvm.func @kept(
// CHECK: llvm.alloca
tile.func @kept(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: f32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = tile.load %xp : tensor<64x!tile.ptr<f32>>
  tile.store %y, %z : !tile.ptr<f32>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  tile.store %y, %s : !tile.ptr<f32>
  tile.return
}

// -----

// An expensive tile with two uses is computed once.
// CHECK-LABEL: llvm.func @dear(
// CHECK-COUNT-1: math.exp
// CHECK-NOT: math.exp
tile.func @dear(%x: !tile.ptr<f32>, %f: f32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %v = arith.sitofp %r : tensor<64xi32> to tensor<64xf32>
  %e = math.exp %v : tensor<64xf32>
  tile.store %xp, %e : tensor<64x!tile.ptr<f32>>
  %n = arith.negf %e : tensor<64xf32>
  tile.store %xp, %n : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// The accumulator of a loop stays in one buffer. The other two: the loaded tile,
// and the offsets, whose reshape is a view.
// CHECK-LABEL: llvm.func @accumulate(
// CHECK-COUNT-3: llvm.alloca
// CHECK-NOT: llvm.alloca
// CHECK: llvm.intr.fmuladd
tile.func @accumulate(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %acc = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<16x16xf32>) : i32 {
    %is = tile.splat %i : i32 -> tensor<16x16xi32>
    %p = tile.addptr %xs, %is : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    %v = tile.load %p : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %v, %v, %a : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %xp = tile.addptr %xs, %o : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  tile.store %xp, %acc : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Large tiles live in the thread's scratch memory.
// CHECK-LABEL: llvm.func @large(
// CHECK-NOT: llvm.alloca
// CHECK: llvm.call @tw_host_scratch(%{{.*}}) : (i64) -> !llvm.ptr
tile.func @large(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 65536 : i32} : tensor<65536xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<65536x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<65536x!tile.ptr<f32>>, tensor<65536xi32>
  %v = tile.load %xp : tensor<65536x!tile.ptr<f32>>
  tile.store %xp, %v : tensor<65536x!tile.ptr<f32>>
  tile.return
}
