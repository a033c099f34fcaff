// RUN: tilewright-opt %s -split-input-file -warp-drop-carried | FileCheck %s

// Pointers that only compute the next pointers are dropped, with their computation. Values with other uses stay, as do
// the values that those need.

// CHECK-LABEL: @pointers
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[Q:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32)
// CHECK-NOT: tile.range
// CHECK: %[[R:.*]]:2 = scf.for %[[I:.*]] = {{.*}} iter_args(%[[S:.*]] = %{{.*}}, %[[D:.*]] = %{{.*}}) -> (i32, i32)
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[S]], %[[D]]
// CHECK-NEXT: %[[TWICE:.*]] = arith.addi %[[D]], %[[D]]
// CHECK-NEXT: scf.yield %[[NEXT]], %[[TWICE]]
// CHECK-NEXT: }
// CHECK: return %[[R]]#0
func.func @pointers(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %splat = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %start = tile.addptr %splat, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %r:4 = scf.for %i = %c0 to %n step %c1 iter_args(%ptrs = %start, %sum = %c0, %delta = %c1, %one = %q) -> (tensor<16x!tile.ptr<f32>>, i32, i32, !tile.ptr<f32>) : i32 {
    %moved = tile.addptr %ptrs, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %next = arith.addi %sum, %delta : i32
    %twice = arith.addi %delta, %delta : i32
    %far = tile.addptr %one, %twice : !tile.ptr<f32>, i32
    scf.yield %moved, %next, %twice, %far : tensor<16x!tile.ptr<f32>>, i32, i32, !tile.ptr<f32>
  }
  return %r#1 : i32
}

// -----

// Values that an op with effects, a region or a loop result needs stay.

// CHECK-LABEL: @needed
// CHECK: scf.for {{.*}} iter_args(%[[A:.*]] = %{{.*}}, %[[B:.*]] = %{{.*}}, %[[C:.*]] = %{{.*}}) -> (!tile.ptr<i32>, i32, i32)
// CHECK: tile.store %[[A]]
// CHECK: scf.if
// CHECK: return
func.func @needed(%p: !tile.ptr<i32>, %n: i32) -> i32 {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r:3 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p, %b = %c0, %c = %c1) -> (!tile.ptr<i32>, i32, i32) : i32 {
    tile.store %a, %i : !tile.ptr<i32>
    %odd = arith.cmpi eq, %i, %c1 : i32
    scf.if %odd {
      %x = arith.addi %b, %c1 : i32
      tile.store %p, %x : !tile.ptr<i32>
    }
    %d = tile.addptr %a, %c1 : !tile.ptr<i32>, i32
    %e = arith.addi %b, %c1 : i32
    %f = arith.addi %c, %e : i32
    scf.yield %d, %e, %f : !tile.ptr<i32>, i32, i32
  }
  return %r#2 : i32
}

// -----

// No value is carried any more.

// CHECK-LABEL: @none
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT: tile.store
// CHECK-NEXT: }
func.func @none(%p: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%a = %p) -> !tile.ptr<i32> : i32 {
    tile.store %p, %i : !tile.ptr<i32>
    %d = tile.addptr %a, %c1 : !tile.ptr<i32>, i32
    scf.yield %d : !tile.ptr<i32>
  }
  return
}
