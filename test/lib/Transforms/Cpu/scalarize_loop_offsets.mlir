// RUN: tilewright-opt %s -split-input-file -cpu-scalarize-loop-offsets -canonicalize | FileCheck %s

// A tile of pointers that steps as a whole is carried as one number.
// CHECK-LABEL: tile.func @pointers
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[N:.*]]: i32, %[[STEP:.*]]: i32
// CHECK: %[[START:.*]] = tile.addptr
// CHECK: scf.for {{.*}} iter_args(%[[D:.*]] = %{{.*}}) -> (i64)
// CHECK: %[[OFFSETS:.*]] = tile.splat %[[D]] : i64 -> tensor<64xi64>
// CHECK: %[[Q:.*]] = tile.addptr %[[START]], %[[OFFSETS]]
// CHECK: tile.store %[[Q]]
// CHECK: %[[WIDE:.*]] = arith.extsi %[[STEP]] : i32 to i64
// CHECK: %[[NEXT:.*]] = arith.addi %[[D]], %[[WIDE]] : i64
// CHECK: scf.yield %[[NEXT]] : i64
tile.func @pointers(%p: !tile.ptr<f32>, %n: i32, %step: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %start = tile.addptr %s, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %o = tile.splat %step : i32 -> tensor<64xi32>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%q = %start) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    tile.store %q, %one : tensor<64x!tile.ptr<f32>>
    %t = tile.addptr %q, %o : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %t : tensor<64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// Integers too, also by a constant; the value after the loop is made from the sum.
// CHECK-LABEL: tile.func @integers
// CHECK: %[[R:.*]] = tile.range
// CHECK: %[[D:.*]] = scf.for {{.*}} -> (i32)
// CHECK: %[[W:.*]] = tile.splat %[[D]] : i32 -> tensor<64xi32>
// CHECK: %[[LAST:.*]] = arith.addi %[[R]], %[[W]] : tensor<64xi32>
// CHECK: tile.store %{{.*}}, %[[LAST]]
tile.func @integers(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %o = arith.constant dense<8> : tensor<64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%q = %r) -> (tensor<64xi32>) : i32 {
    %t = arith.addi %o, %q : tensor<64xi32>
    scf.yield %t : tensor<64xi32>
  }
  tile.store %s, %e : tensor<64x!tile.ptr<i32>>
  tile.return
}

// -----

// Elements that advance by different amounts stay a tile.
// CHECK-LABEL: tile.func @different_steps
// CHECK: scf.for {{.*}} -> (tensor<64x!tile.ptr<f32>>)
tile.func @different_steps(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %e = scf.for %i = %c0 to %n step %c1 iter_args(%q = %s) -> (tensor<64x!tile.ptr<f32>>) : i32 {
    tile.store %q, %one : tensor<64x!tile.ptr<f32>>
    %t = tile.addptr %q, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %t : tensor<64x!tile.ptr<f32>>
  }
  tile.return
}
