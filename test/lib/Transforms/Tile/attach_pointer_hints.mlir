// RUN: tilewright-opt %s -tile-attach-pointer-hints -canonicalize | FileCheck %s

// Accesses after both promises use them; the loop carries the original
// pointers.

// CHECK-LABEL: @carried
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}) ->
// CHECK: tile.load %[[P]]
// CHECK: %[[Q:.*]] = tile.addptr %[[P]], %{{.*}} {tile.divisibility = array<i32: 16>}
// CHECK: %[[R:.*]] = tile.addptr %[[Q]], %{{.*}} {tile.contiguity = array<i32: 8>}
// CHECK: scf.if
// CHECK: %[[X:.*]] = tile.load %[[R]]
// CHECK: tile.store %[[R]], %[[X]]
// CHECK: %[[NEXT:.*]] = tile.addptr %[[P]], %{{[a-z0-9_]+}} : tensor
// CHECK: scf.yield %[[NEXT]]
tile.func @carried(%p: tensor<16x!tile.ptr<f32>>, %s: tensor<16xi32>, %n: i32, %b: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0> : tensor<16xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %before = tile.load %at : tensor<16x!tile.ptr<f32>>
    tile.print "before", %before {isSigned = array<i1: true>} : tensor<16xf32>
    %q = tile.addptr %at, %zero {tile.divisibility = array<i32: 16>} : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %r = tile.addptr %at, %zero {tile.contiguity = array<i32: 8>} : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.if %b {
      %x = tile.load %at : tensor<16x!tile.ptr<f32>>
      tile.store %at, %x : tensor<16x!tile.ptr<f32>>
    }
    %next = tile.addptr %at, %s : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  tile.return
}
