// RUN: tilewright-opt %s -split-input-file -tile-unroll-loops -canonicalize -cse | FileCheck %s

// Groups of iterations, and the remaining ones in the original loop, which needs no prefetching.
// CHECK-LABEL: @sum
// CHECK-SAME: %[[N:.*]]: i32
// CHECK-DAG: %[[C12:.*]] = arith.constant 12 : i32
// CHECK-DAG: %[[C3:.*]] = arith.constant 3 : i32
// CHECK-DAG: %[[C6:.*]] = arith.constant 6 : i32
// CHECK-DAG: %[[C9:.*]] = arith.constant 9 : i32
// CHECK: %[[END:.*]] = arith.maxsi %[[N]], %c0_i32
// CHECK: %[[GROUPS:.*]] = arith.divui %[[END]], %[[C12]]
// CHECK: %[[MIDDLE:.*]] = arith.muli %[[GROUPS]], %[[C12]]
// CHECK: %[[SUM:.*]] = scf.for %[[I:.*]] = %c0_i32 to %[[MIDDLE]] step %[[C12]] iter_args(%[[S:.*]] = %c0_i32)
// CHECK: %[[S0:.*]] = arith.addi %[[S]], %[[I]]
// CHECK: %[[I1:.*]] = arith.addi %[[I]], %[[C3]]
// CHECK: %[[S1:.*]] = arith.addi %[[S0]], %[[I1]]
// CHECK: arith.addi %[[I]], %[[C6]]
// CHECK: arith.addi %[[I]], %[[C9]]
// CHECK: } {tile.num_stages = 2 : i32}
// CHECK: scf.for %{{.*}} = %[[MIDDLE]] to %[[N]] step %[[C3]] iter_args(%{{.*}} = %[[SUM]])
// CHECK-NOT: tile.num_stages
// CHECK: tile.return
tile.func @sum(%n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c3 = arith.constant 3 : i32
  %total = scf.for %i = %c0 to %n step %c3 iter_args(%s = %c0) -> i32 : i32 {
    %next = arith.addi %s, %i : i32
    scf.yield %next : i32
  } {tile.loop_unroll_factor = 4 : i32, tile.num_stages = 2 : i32}
  tile.store %out, %total : !tile.ptr<i32>
  tile.return
}

// -----

// No iterations remain of eight.
// CHECK-LABEL: @even
// CHECK: scf.for {{.*}} to %c8_i32 step %c4_i32
// CHECK-COUNT-4: tile.store
// CHECK-NOT: scf.for
tile.func @even(%out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c8 = arith.constant 8 : i32
  scf.for %i = %c0 to %c8 step %c1 : i32 {
    tile.store %out, %i : !tile.ptr<i32>
  } {tile.loop_unroll_factor = 4 : i32}
  tile.return
}

// -----

// With unsigned counters, bounds are compared as unsigned.
// CHECK-LABEL: @without_a_sign
// CHECK: arith.maxui
// CHECK: scf.for unsigned
// CHECK: scf.for unsigned
tile.func @without_a_sign(%first: i32, %n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c1 = arith.constant 1 : i32
  scf.for unsigned %i = %first to %n step %c1 : i32 {
    tile.store %out, %i : !tile.ptr<i32>
  } {tile.loop_unroll_factor = 2 : i32}
  tile.return
}

// -----

// A loop in a loop: 2 x 2 stores where groups meet.
// CHECK-LABEL: @nested
// CHECK: scf.for
// CHECK: scf.for
// CHECK-COUNT-2: tile.store
// CHECK: scf.for
// CHECK-COUNT-1: tile.store
// CHECK: scf.for
// CHECK-COUNT-2: tile.store
tile.func @nested(%n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.store %out, %j : !tile.ptr<i32>
    } {tile.loop_unroll_factor = 2 : i32}
  } {tile.loop_unroll_factor = 2 : i32}
  tile.return
}

// -----

// Left alone: an unknown step, a step that overflows the type after four iterations, and dots.
// CHECK-LABEL: @kept
// CHECK-COUNT-3: scf.for
// CHECK-NOT: scf.for
// CHECK-NOT: tile.loop_unroll_factor
tile.func @kept(%n: i32, %out: !tile.ptr<i32>, %a: tensor<16x16xf16>, %zero: tensor<16x16xf32>, %outs: tensor<16x16x!tile.ptr<f32>>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %large = arith.constant 1073741824 : i32
  scf.for %i = %c0 to %n step %n : i32 {
    tile.store %out, %i : !tile.ptr<i32>
  } {tile.loop_unroll_factor = 2 : i32}
  scf.for %i = %c0 to %n step %large : i32 {
    tile.store %out, %i : !tile.ptr<i32>
  } {tile.loop_unroll_factor = 2 : i32}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%s = %zero) -> tensor<16x16xf32> : i32 {
    %next = tile.dot %a, %a, %s : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  } {tile.loop_unroll_factor = 2 : i32}
  tile.store %outs, %sum : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
