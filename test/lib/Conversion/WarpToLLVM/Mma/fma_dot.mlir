// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#c = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>
#a = #warp.linear<{register = [[0, 1]], lane = [[0, 0], [0, 0], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = []}>

// Two result elements per thread, two multiply-adds each. The first step of k
// is done for both before the second.
// CHECK-LABEL: llvm.func @f32
tile.func @f32(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %sa = tile.splat %pa : !tile.ptr<f32> -> tensor<8x2x!tile.ptr<f32>, #a>
  %ra = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #warp.linear<{register = [[1]], lane = [[0], [0], [2], [4], [8]], warp = []}>>
  %oa = tile.reshape %ra : tensor<16xi32, #warp.linear<{register = [[1]], lane = [[0], [0], [2], [4], [8]], warp = []}>> -> tensor<8x2xi32, #a>
  %a1 = tile.addptr %sa, %oa : tensor<8x2x!tile.ptr<f32>, #a>, tensor<8x2xi32, #a>
  %sb = tile.splat %pb : !tile.ptr<f32> -> tensor<2x8x!tile.ptr<f32>, #b>
  %rb = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #warp.linear<{register = [[8], [1]], lane = [[2], [4], [0], [0], [0]], warp = []}>>
  %ob = tile.reshape %rb : tensor<16xi32, #warp.linear<{register = [[8], [1]], lane = [[2], [4], [0], [0], [0]], warp = []}>> -> tensor<2x8xi32, #b>
  %b1 = tile.addptr %sb, %ob : tensor<2x8x!tile.ptr<f32>, #b>, tensor<2x8xi32, #b>
  %c1 = tile.splat %pc : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #c>
  // CHECK: %[[A0:.*]] = llvm.load
  // CHECK: %[[A1:.*]] = llvm.load
  // CHECK: %[[B00:.*]] = llvm.load
  // CHECK: %[[B10:.*]] = llvm.load
  // CHECK: %[[B01:.*]] = llvm.load
  // CHECK: %[[B11:.*]] = llvm.load
  %a = tile.load %a1 : tensor<8x2x!tile.ptr<f32>, #a>
  %b = tile.load %b1 : tensor<2x8x!tile.ptr<f32>, #b>
  %c = arith.constant dense<0.0> : tensor<8x8xf32, #c>
  // CHECK: %[[S0:.*]] = llvm.intr.fma(%[[A0]], %[[B00]], %{{.*}})
  // CHECK: %[[S1:.*]] = llvm.intr.fma(%[[A0]], %[[B01]], %{{.*}})
  // CHECK: llvm.intr.fma(%[[A1]], %[[B10]], %[[S0]])
  // CHECK: llvm.intr.fma(%[[A1]], %[[B11]], %[[S1]])
  %d = tile.dot %a, %b, %c : tensor<8x2xf32, #a>, tensor<2x8xf32, #b>, tensor<8x8xf32, #c>
  tile.store %c1, %d : tensor<8x8x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []}>
#a = #warp.linear<{register = [], lane = [[0, 0], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []}>
#b = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], warp = []}>

// Narrower operands are widened first; integers are signed.
// CHECK-LABEL: llvm.func @widened
tile.func @widened(%i: i8, %h: f16, %p: !tile.ptr<i32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a = tile.splat %i : i8 -> tensor<4x1xi8, #a>
  %b = tile.splat %i : i8 -> tensor<1x8xi8, #b>
  %c = arith.constant dense<0> : tensor<4x8xi32, #c>
  // CHECK-COUNT-2: llvm.sext %{{.*}} : i8 to i32
  // CHECK: llvm.mul
  // CHECK: llvm.add
  %d = tile.dot %a, %b, %c : tensor<4x1xi8, #a>, tensor<1x8xi8, #b>, tensor<4x8xi32, #c>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x8x!tile.ptr<i32>, #c>
  tile.store %ps, %d : tensor<4x8x!tile.ptr<i32>, #c>
  %e = tile.splat %h : f16 -> tensor<4x1xf16, #a>
  %f = tile.splat %h : f16 -> tensor<1x8xf16, #b>
  %g = arith.constant dense<0.0> : tensor<4x8xf32, #c>
  // CHECK-COUNT-2: llvm.fpext %{{.*}} : f16 to f32
  // CHECK: llvm.intr.fma(%{{.*}}) : (f32, f32, f32) -> f32
  %k = tile.dot %e, %f, %g : tensor<4x1xf16, #a>, tensor<1x8xf16, #b>, tensor<4x8xf32, #c>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<4x8x!tile.ptr<f32>, #c>
  tile.store %qs, %k : tensor<4x8x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[1, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0]], warp = []}>
#a = #warp.linear<{register = [[1, 0, 0]], lane = [[0, 0, 0], [0, 0, 0], [0, 0, 0], [0, 1, 0], [0, 2, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0, 0]], lane = [[0, 0, 1], [0, 0, 2], [0, 0, 4], [0, 0, 0], [0, 0, 0]], warp = []}>

// Each dot of a batch takes its own operands.
// CHECK-LABEL: llvm.func @batch
tile.func @batch(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %sa = tile.splat %pa : !tile.ptr<f32> -> tensor<2x4x1x!tile.ptr<f32>, #a>
  %ra = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #warp.linear<{register = [[4]], lane = [[0], [0], [0], [1], [2]], warp = []}>>
  %oa = tile.reshape %ra : tensor<8xi32, #warp.linear<{register = [[4]], lane = [[0], [0], [0], [1], [2]], warp = []}>> -> tensor<2x4x1xi32, #a>
  %a1 = tile.addptr %sa, %oa : tensor<2x4x1x!tile.ptr<f32>, #a>, tensor<2x4x1xi32, #a>
  %sb = tile.splat %pb : !tile.ptr<f32> -> tensor<2x1x8x!tile.ptr<f32>, #b>
  %rb = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #warp.linear<{register = [[8]], lane = [[1], [2], [4], [0], [0]], warp = []}>>
  %ob = tile.reshape %rb : tensor<16xi32, #warp.linear<{register = [[8]], lane = [[1], [2], [4], [0], [0]], warp = []}>> -> tensor<2x1x8xi32, #b>
  %b1 = tile.addptr %sb, %ob : tensor<2x1x8x!tile.ptr<f32>, #b>, tensor<2x1x8xi32, #b>
  %c1 = tile.splat %pc : !tile.ptr<f32> -> tensor<2x4x8x!tile.ptr<f32>, #c>
  // CHECK: %[[A0:.*]] = llvm.load
  // CHECK: %[[A1:.*]] = llvm.load
  // CHECK: %[[B0:.*]] = llvm.load
  // CHECK: %[[B1:.*]] = llvm.load
  %a = tile.load %a1 : tensor<2x4x1x!tile.ptr<f32>, #a>
  %b = tile.load %b1 : tensor<2x1x8x!tile.ptr<f32>, #b>
  %c = arith.constant dense<0.0> : tensor<2x4x8xf32, #c>
  // CHECK: llvm.intr.fma(%[[A0]], %[[B0]], %{{.*}})
  // CHECK: llvm.intr.fma(%[[A1]], %[[B1]], %{{.*}})
  %d = tile.dot %a, %b, %c : tensor<2x4x1xf32, #a>, tensor<2x1x8xf32, #b>, tensor<2x4x8xf32, #c>
  tile.store %c1, %d : tensor<2x4x8x!tile.ptr<f32>, #c>
  tile.return
}
