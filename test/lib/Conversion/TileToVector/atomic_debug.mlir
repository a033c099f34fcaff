// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector -canonicalize -cse | FileCheck %s

// One hardware atomic an element; nothing where the mask is off.
// CHECK-LABEL: llvm.func @add(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.atomicrmw fadd %{{.*}}, %{{.*}} acq_rel : !llvm.ptr, f32
tile.func @add(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %old = tile.atomic_rmw fadd acq_rel gpu %xp, %one, %m : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// Floats are compared as bits.
// CHECK-LABEL: llvm.func @cas(
// CHECK: llvm.cmpxchg %{{.*}}, %{{.*}}, %{{.*}} release monotonic : !llvm.ptr, i32
tile.func @cas(%x: !tile.ptr<f32>, %a: f32, %b: f32) attributes {tile.kernel} {
  %old = tile.atomic_cas release gpu %x, %a, %b : !tile.ptr<f32>
  tile.store %x, %old : !tile.ptr<f32>
  tile.return
}

// -----

// All lanes of a chunk are tested at once; the message names the line.
// CHECK: llvm.mlir.global internal constant @{{.*}}("out of range ({{.*}}atomic_debug.mlir:{{[0-9]+}})\00")
// CHECK-LABEL: llvm.func @assert(
// CHECK: vector.reduction <and>, %{{.*}} : vector<16xi1> into i1
// CHECK: scf.if
// CHECK: llvm.call @tw_host_assert_fail(
tile.func @assert(%n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %ok = arith.cmpi slt, %r, %ns : tensor<64xi32>
  tile.assert %ok, "out of range" : tensor<64xi1>
  tile.return
}

// -----

// CHECK: llvm.mlir.global internal constant @{{.*}}("x = \00")
// CHECK-LABEL: llvm.func @print(%arg0
// CHECK: %[[KIND:.*]] = arith.constant 1 : i32
// CHECK: %[[N:.*]] = llvm.load %arg0
// CHECK: %[[BITS:.*]] = arith.extui %[[N]] : i32 to i64
// CHECK: llvm.call @tw_host_print(%{{.*}}, %[[KIND]], %[[BITS]], %{{.*}}, %{{.*}})
tile.func @print(%n: i32) attributes {tile.kernel} {
  tile.print "x = ", %n {isSigned = array<i1: false>} : i32
  tile.return
}
