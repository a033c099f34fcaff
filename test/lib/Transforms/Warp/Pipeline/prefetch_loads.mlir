// RUN: tilewright-opt %s -warp-prefetch-loads -split-input-file | FileCheck %s
// RUN: tilewright-opt %s -warp-prefetch-loads="most=72" -split-input-file | FileCheck %s --check-prefix=SHORT

#accs = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>

// A loop-carried pointer, and one computed from the induction variable.

// CHECK-LABEL: @scales
// CHECK-SAME: %[[P:[^:]*]]: tensor<16x8x!tile.ptr<f32>
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB:.*]], %[[UB:.*]] : i32
// CHECK: %[[FIRST:.*]] = tile.load %[[P]], %{{.*}} : tensor<16x8x!tile.ptr<f32>
// CHECK: %[[P1:.*]] = tile.addptr %[[P]]
// CHECK: scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %[[S:.*]] iter_args(%[[ACC:.*]] = %{{.*}}, %{{.*}} = %[[P]], %[[AHEAD:.*]] = %[[P1]], %[[SCALE:.*]] = %[[FIRST]])
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[UB]], %[[I]]
// CHECK-NEXT: %[[GOES_ON:.*]] = arith.cmpi ugt, %[[LEFT]], %[[S]]
// CHECK: %[[MASK:.*]] = tile.splat %[[GOES_ON]]
// CHECK-NEXT: %[[NEXT:.*]] = tile.load %[[AHEAD]], %[[MASK]]
// CHECK: %[[P2:.*]] = tile.addptr %[[AHEAD]]
// CHECK-NOT: tile.load
// CHECK: %[[SUM:.*]] = warp.mma
// CHECK: arith.addf %[[SUM]], %[[SCALE]]
// CHECK: scf.yield %{{.*}}, %{{.*}}, %[[P2]], %[[NEXT]]

// If the accumulators leave no registers, no load is carried.
// SHORT-LABEL: @scales
// SHORT: scf.for
// SHORT: tile.load
// SHORT: warp.mma
tile.func @scales(%p: tensor<16x8x!tile.ptr<f32>, #accs>, %a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %n: i32) -> tensor<16x8xf32, #accs> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<16x8xi32, #accs>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #accs>
  %result:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %p) -> (tensor<16x8xf32, #accs>, tensor<16x8x!tile.ptr<f32>, #accs>) : i32 {
    %scale = tile.load %at : tensor<16x8x!tile.ptr<f32>, #accs>
    %sum = warp.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #accs>
    %scaled = arith.addf %sum, %scale : tensor<16x8xf32, #accs>
    %next = tile.addptr %at, %step : tensor<16x8x!tile.ptr<f32>, #accs>, tensor<16x8xi32, #accs>
    scf.yield %scaled, %next : tensor<16x8xf32, #accs>, tensor<16x8x!tile.ptr<f32>, #accs>
  }
  tile.return %result#0 : tensor<16x8xf32, #accs>
}

// -----

// The loop stores to the loaded array, or has an assertion before the load.

#accs = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>

// CHECK-LABEL: @stored
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK-NEXT: tile.load
// CHECK-LABEL: @checked
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK-NEXT: tile.assert
// CHECK-NEXT: tile.load
// SHORT-LABEL: @stored
// SHORT-LABEL: @checked
tile.func @stored(%p: tensor<16x8x!tile.ptr<f32>, #accs>, %a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %n: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %acc = tile.load %p : tensor<16x8x!tile.ptr<f32>, #accs>
    %sum = warp.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #accs>
    tile.store %p, %sum : tensor<16x8x!tile.ptr<f32>, #accs>
  }
  tile.return
}
tile.func @checked(%p: tensor<16x8x!tile.ptr<f32>, #accs>, %a: tensor<16x16xf16, #a>, %b: tensor<16x8xf16, #b>, %n: i32, %ok: i1) -> tensor<16x8xf32, #accs> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #accs>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x8xf32, #accs>) : i32 {
    tile.assert %ok, "outside" : i1
    %x = tile.load %p : tensor<16x8x!tile.ptr<f32>, #accs>
    %sum = warp.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #accs>
    %y = arith.addf %sum, %x : tensor<16x8xf32, #accs>
    scf.yield %y : tensor<16x8xf32, #accs>
  }
  tile.return %result : tensor<16x8xf32, #accs>
}

// -----

// An operand that goes to shared memory unchanged is not prefetched, but scales next to it are.

#accs = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>
#turned = #warp.linear<{register = [[0, 1], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#slanted = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>

// CHECK-LABEL: @operands
// CHECK: tile.load {{.*}} : tensor<16x8x!tile.ptr<f32>
// CHECK-NOT: tile.load
// CHECK: scf.for
// CHECK: tile.load {{.*}} : tensor<16x8x!tile.ptr<f32>
// CHECK: %[[B:.*]] = tile.load {{.*}} : tensor<16x8x!tile.ptr<f16>
// CHECK: warp.alloc %[[B]]
// CHECK: %[[T:.*]] = tile.load {{.*}} : tensor<16x8x!tile.ptr<f16>
// CHECK: tile.transpose %[[T]]
// SHORT-LABEL: @operands
tile.func @operands(%p: tensor<16x8x!tile.ptr<f32>, #accs>, %q: tensor<16x8x!tile.ptr<f16>, #b>, %a: tensor<16x16xf16, #a>, %n: i32) -> tensor<16x8xf32, #accs> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #accs>
  %result = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x8xf32, #accs>) : i32 {
    %scale = tile.load %p : tensor<16x8x!tile.ptr<f32>, #accs>
    %loaded = tile.load %q : tensor<16x8x!tile.ptr<f16>, #b>
    %memory = warp.alloc %loaded : (tensor<16x8xf16, #b>) -> !warp.shared<16x8xf16, #plain>
    %other = tile.load %q : tensor<16x8x!tile.ptr<f16>, #b>
    %transposed = tile.transpose %other {order = array<i32: 1, 0>} : tensor<16x8xf16, #b> -> tensor<8x16xf16, #turned>
    %kept = warp.alloc %transposed : (tensor<8x16xf16, #turned>) -> !warp.shared<8x16xf16, #slanted>
    %b = warp.local_load %memory : !warp.shared<16x8xf16, #plain> -> tensor<16x8xf16, #b>
    %sum = warp.mma %a, %b, %acc : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #accs>
    %scaled = arith.addf %sum, %scale : tensor<16x8xf32, #accs>
    scf.yield %scaled : tensor<16x8xf32, #accs>
  }
  tile.return %result : tensor<16x8xf32, #accs>
}
