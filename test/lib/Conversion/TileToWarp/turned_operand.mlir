// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s

// Decoding whose values are its keys: the loop loads them to shared memory once, and the second dot reads them
// transposed.
// CHECK-LABEL: @turned
// CHECK: scf.for
// CHECK: %[[K:.*]] = tile.load
// CHECK: %[[M:.*]] = warp.alloc %[[K]]
// CHECK-DAG: %[[T:.*]] = warp.shared_transpose %[[M]]
// CHECK-DAG: warp.local_load %[[M]]
// CHECK-DAG: warp.local_load %[[T]]
// CHECK-NOT: tile.transpose
// CHECK: scf.yield
tile.func @turned(%q: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %keys: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %out: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant dense<64> : tensor<16x1xi32>
  %wide = arith.constant dense<64> : tensor<1x32xi32>
  %zero = arith.constant dense<0.0> : tensor<16x32xf32>
  %none = arith.constant dense<0.0> : tensor<16x64xf32>
  %rows = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %d = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %tokens = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r = tile.expand_dims %rows {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %r64 = arith.muli %r, %c64 : tensor<16x1xi32>
  %d0 = tile.expand_dims %d {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rb = tile.broadcast %r64 : tensor<16x1xi32> -> tensor<16x64xi32>
  %db = tile.broadcast %d0 : tensor<1x64xi32> -> tensor<16x64xi32>
  %at = arith.addi %rb, %db : tensor<16x64xi32>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
  %qp = tile.addptr %qs, %at : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
  %query = tile.load %qp : tensor<16x64x!tile.ptr<f16>>
  %d1 = tile.expand_dims %d {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %dk = tile.broadcast %d1 : tensor<64x1xi32> -> tensor<64x32xi32>
  %ks = tile.splat %keys : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c32 iter_args(%acc = %none) -> (tensor<16x64xf32>) : i32 {
    %from = tile.splat %i : i32 -> tensor<32xi32>
    %token = arith.addi %from, %tokens : tensor<32xi32>
    %t0 = tile.expand_dims %token {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
    %t64 = arith.muli %t0, %wide : tensor<1x32xi32>
    %tb = tile.broadcast %t64 : tensor<1x32xi32> -> tensor<64x32xi32>
    %offsets = arith.addi %tb, %dk : tensor<64x32xi32>
    %kp = tile.addptr %ks, %offsets : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
    %k = tile.load %kp : tensor<64x32x!tile.ptr<f16>>
    %s = tile.dot %query, %k, %zero : tensor<16x64xf16>, tensor<64x32xf16>, tensor<16x32xf32>
    %p = arith.truncf %s : tensor<16x32xf32> to tensor<16x32xf16>
    %v = tile.transpose %k {order = array<i32: 1, 0>} : tensor<64x32xf16> -> tensor<32x64xf16>
    %next = tile.dot %p, %v, %acc : tensor<16x32xf16>, tensor<32x64xf16>, tensor<16x64xf32>
    scf.yield %next : tensor<16x64xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  %op = tile.addptr %os, %at : tensor<16x64x!tile.ptr<f32>>, tensor<16x64xi32>
  tile.store %op, %sum : tensor<16x64x!tile.ptr<f32>>
  tile.return
}
