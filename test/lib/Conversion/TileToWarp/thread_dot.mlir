// RUN: tilewright-opt %s "-convert-tile-to-warp=num-warps=8 compute-capability=80" | FileCheck %s

// The left operand is contiguous along K, also in shared memory. A thread reads 16 bytes of each of its rows, which
// are eight lanes apart, not one register. The right one is contiguous across K: a thread reads groups of four
// adjacent columns. Each thread has 8 x 8 elements. Adjacent lanes share columns, and lanes two apart share rows,
// which avoids bank conflicts.
// CHECK-DAG: #[[ACC:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 64], [16, 0], [32, 0], [64, 0]], lane = {{\[\[}}1, 0], [0, 4], [0, 8], [0, 16], [2, 0]], warp = {{\[\[}}0, 32], [4, 0], [8, 0]], block = []}>
// CHECK-DAG: #[[ALONG:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 4], [4, 8], [8, 0], [16, 0], [32, 0], [64, 0]]}>
// CHECK-DAG: #[[ACROSS:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16], [8, 0], [0, 32], [0, 64]]}>
// CHECK-LABEL: tile.func @dot
// CHECK: %[[A:.*]] = tile.load
// CHECK: warp.alloc %[[A]] : ({{.*}}) -> !warp.shared<128x16xf32, #[[ALONG]]>
// CHECK: %[[B:.*]] = tile.load
// CHECK: warp.alloc %[[B]] : ({{.*}}) -> !warp.shared<16x128xf32, #[[ACROSS]]>
// CHECK-COUNT-4: tile.dot {{.*}} : tensor<128x4xf32, #{{.*}}>, tensor<4x128xf32, #{{.*}}>, tensor<128x128xf32, #[[ACC]]>
tile.func @dot(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %row = arith.constant dense<16> : tensor<128x1xi32>
  %step = arith.constant dense<128> : tensor<16x1xi32>
  %m = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %k = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<128xi32> -> tensor<128x1xi32>
  %n1 = tile.expand_dims %m {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %k1 = tile.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %l1 = tile.expand_dims %k {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %ms = arith.muli %m1, %row : tensor<128x1xi32>
  %ls = arith.muli %l1, %step : tensor<16x1xi32>
  %m2 = tile.broadcast %ms : tensor<128x1xi32> -> tensor<128x16xi32>
  %k2 = tile.broadcast %k1 : tensor<1x16xi32> -> tensor<128x16xi32>
  %l2 = tile.broadcast %ls : tensor<16x1xi32> -> tensor<16x128xi32>
  %n2 = tile.broadcast %n1 : tensor<1x128xi32> -> tensor<16x128xi32>
  %oa = arith.addi %m2, %k2 : tensor<128x16xi32>
  %ob = arith.addi %l2, %n2 : tensor<16x128xi32>
  %pa = tile.splat %p : !tile.ptr<f32> -> tensor<128x16x!tile.ptr<f32>>
  %pb = tile.splat %p : !tile.ptr<f32> -> tensor<16x128x!tile.ptr<f32>>
  %qa = tile.addptr %pa, %oa : tensor<128x16x!tile.ptr<f32>>, tensor<128x16xi32>
  %qb = tile.addptr %pb, %ob : tensor<16x128x!tile.ptr<f32>>, tensor<16x128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<128x128xf32> : i32 {
    %a = tile.load %qa : tensor<128x16x!tile.ptr<f32>>
    %b = tile.load %qb : tensor<16x128x!tile.ptr<f32>>
    %d = tile.dot %a, %b, %acc : tensor<128x16xf32>, tensor<16x128xf32>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %qo = tile.splat %out : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %qo, %sum : tensor<128x128x!tile.ptr<f32>>
  tile.return
}
