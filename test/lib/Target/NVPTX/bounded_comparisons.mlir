// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

#layout = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>

// ptxas 13.0 folds `max(abs(x), abs(x) * 3) >= 0` to true, also for NaNs. It cannot fold `x >= 2`.

// CHECK-LABEL: .entry bounded(
// CHECK: setp.ge.f32 %p{{[0-9]+}}, %r{{[0-9]+}}, 0f40000000;
// CHECK: setp.ltu.f32 [[P:%p[0-9]+]], %r{{[0-9]+}}, 0f00000000;
// CHECK: not.pred %p{{[0-9]+}}, [[P]];
// CHECK: ret;
tile.func @bounded(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<32xf32, #layout>
  %two = arith.constant dense<2.0> : tensor<32xf32, #layout>
  %three = arith.constant dense<3.0> : tensor<32xf32, #layout>
  %i = tile.range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #layout>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #layout>
  %at = tile.addptr %ps, %i : tensor<32x!tile.ptr<f32>, #layout>, tensor<32xi32, #layout>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #layout>
  %there = tile.addptr %qs, %i : tensor<32x!tile.ptr<f32>, #layout>, tensor<32xi32, #layout>
  %x = tile.load %at : tensor<32x!tile.ptr<f32>, #layout>
  %large = arith.cmpf oge, %x, %two : tensor<32xf32, #layout>
  %chosen = arith.select %large, %three, %zero : tensor<32xi1, #layout>, tensor<32xf32, #layout>
  tile.store %there, %chosen : tensor<32x!tile.ptr<f32>, #layout>
  %size = math.absf %x : tensor<32xf32, #layout>
  %more = arith.mulf %size, %three : tensor<32xf32, #layout>
  %most = arith.maxnumf %size, %more : tensor<32xf32, #layout>
  %known = arith.cmpf oge, %most, %zero : tensor<32xf32, #layout>
  %result = arith.select %known, %most, %two : tensor<32xi1, #layout>, tensor<32xf32, #layout>
  tile.store %at, %result : tensor<32x!tile.ptr<f32>, #layout>
  tile.return
}
