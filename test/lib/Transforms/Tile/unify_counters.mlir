// RUN: tilewright-opt %s -split-input-file -tile-unify-counters -canonicalize -cse | FileCheck %s

// A kernel counts its tiles a second time, one step later. Both are the same tile, and nothing is carried.
// CHECK-LABEL: @stored
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT: tile.addptr %{{.*}}, %[[I]]
// CHECK-NEXT: tile.store %{{.*}}, %[[I]]
tile.func @stored(%p: !tile.ptr<i32>, %end: i32) attributes {tile.kernel} {
  %step = arith.constant 132 : i32
  %first = tile.program_id x
  %before = arith.subi %first, %step : i32
  %last = scf.for %i = %first to %end step %step iter_args(%j = %before) -> i32 : i32 {
    %next = arith.addi %j, %step : i32
    %q = tile.addptr %p, %next : !tile.ptr<i32>, i32
    tile.store %q, %i : !tile.ptr<i32>
    scf.yield %next : i32
  }
  tile.return
}

// -----

// The step is the size of the grid: the distance is known after the step only.
// CHECK-LABEL: @by_grid
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[J:.*]] = %{{.*}}) -> (i32)
// CHECK: tile.addptr %{{.*}}, %[[I]]
// CHECK: tile.store %{{.*}}, %[[J]]
tile.func @by_grid(%p: !tile.ptr<i32>, %end: i32) attributes {tile.kernel} {
  %step = tile.num_programs x
  %first = tile.program_id x
  %before = arith.subi %first, %step : i32
  %last = scf.for %i = %first to %end step %step iter_args(%j = %before) -> i32 : i32 {
    %next = arith.addi %j, %step : i32
    %q = tile.addptr %p, %next : !tile.ptr<i32>, i32
    tile.store %q, %j : !tile.ptr<i32>
    scf.yield %next : i32
  }
  tile.return
}

// -----

// At a distance of 5. It is carried because it is used after the loop.
// CHECK-LABEL: @used_after
// CHECK: %[[C5:.*]] = arith.constant 5 : i32
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[J:.*]] = %[[C5]]) -> (i32)
// CHECK: %[[K:.*]] = arith.addi %[[I]], %[[C5]]
// CHECK: tile.store %{{.*}}, %[[K]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK: scf.yield %[[NEXT]]
tile.func @used_after(%p: !tile.ptr<i32>, %end: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c5 = arith.constant 5 : i32
  %step = arith.constant 2 : i32
  %last = scf.for %i = %c0 to %end step %step iter_args(%j = %c5) -> i32 : i32 {
    tile.store %p, %j : !tile.ptr<i32>
    %next = arith.addi %step, %j : i32
    scf.yield %next : i32
  }
  tile.store %p, %last : !tile.ptr<i32>
  tile.return
}

// -----

// Another step, another type, an unknown distance.
// CHECK-LABEL: @others
// CHECK: iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (i32, i64, i32)
// CHECK: tile.store %{{.*}}, %[[A]]
// CHECK: tile.store %{{.*}}, %[[B]]
// CHECK: tile.store %{{.*}}, %[[C]]
tile.func @others(%p: !tile.ptr<i32>, %w: !tile.ptr<i64>, %end: i32, %x: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %w0 = arith.constant 0 : i64
  %c2 = arith.constant 2 : i32
  %w3 = arith.constant 3 : i64
  %c3 = arith.constant 3 : i32
  %last:3 = scf.for %i = %c0 to %end step %c3 iter_args(%a = %c0, %b = %w0, %c = %x) -> (i32, i64, i32) : i32 {
    tile.store %p, %a : !tile.ptr<i32>
    tile.store %w, %b : !tile.ptr<i64>
    tile.store %p, %c : !tile.ptr<i32>
    %d = arith.addi %a, %c2 : i32
    %e = arith.addi %b, %w3 : i64
    %f = arith.addi %c, %c3 : i32
    scf.yield %d, %e, %f : i32, i64, i32
  }
  tile.return
}

// -----

// Indices along both axes of tiles are computed from the counter, for each axis on its own.
// CHECK-LABEL: @both_axes
// CHECK: %[[R:.*]] = tile.range
// CHECK: scf.for %[[I:[^ ]*]] = %{{.*}}
// CHECK:   %[[D:.*]] = arith.muli %[[I]], %{{.*}} : i32
// CHECK:   %[[S:.*]] = tile.splat %[[D]] : i32 -> tensor<16xi32>
// CHECK:   %[[K:.*]] = arith.addi %[[R]], %[[S]] : tensor<16xi32>
// CHECK:   tile.expand_dims %[[K]] {axis = 0 : i32}
// CHECK:   %[[C:.*]] = arith.cmpi slt, %[[K]]
// CHECK:   tile.expand_dims %[[C]] {axis = 1 : i32}
tile.func @both_axes(%p: !tile.ptr<i32>, %q: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %each = arith.constant dense<16> : tensor<16xi32>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %r) -> tensor<16xi32> : i32 {
    %row = tile.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<1x16x!tile.ptr<i32>>
    tile.store %ps, %row : tensor<1x16x!tile.ptr<i32>>
    %inside = arith.cmpi slt, %k, %ns : tensor<16xi32>
    %column = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
    %bit = arith.extui %column : tensor<16x1xi1> to tensor<16x1xi32>
    %qs = tile.splat %q : !tile.ptr<i32> -> tensor<16x1x!tile.ptr<i32>>
    tile.store %qs, %bit : tensor<16x1x!tile.ptr<i32>>
    %next = arith.addi %k, %each : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  tile.return
}

// -----

// Indices along one axis are carried, and so are those of a loop that does not count from zero.
// CHECK-LABEL: @one_axis
// CHECK: scf.for {{.*}} iter_args(%[[K:[^ ]*]] = %{{[^ ]*}})
// CHECK:   tile.expand_dims %[[K]] {axis = 0 : i32}
tile.func @one_axis(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %each = arith.constant dense<16> : tensor<16xi32>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %r) -> tensor<16xi32> : i32 {
    %row = tile.expand_dims %k {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
    %ps = tile.splat %p : !tile.ptr<i32> -> tensor<1x16x!tile.ptr<i32>>
    tile.store %ps, %row : tensor<1x16x!tile.ptr<i32>>
    %next = arith.addi %k, %each : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  tile.return
}
