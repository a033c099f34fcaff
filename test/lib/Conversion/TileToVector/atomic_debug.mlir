// RUN: tilewright-opt %s -split-input-file -convert-tile-to-vector -canonicalize -cse | FileCheck %s

// One hardware atomic per element, none where the mask is off.
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

// CHECK-LABEL: llvm.func @masked_cas(
// CHECK: scf.for
// CHECK: scf.if
// CHECK: llvm.cmpxchg
tile.func @masked_cas(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %old = tile.atomic_cas relaxed gpu %xp, %ns, %r, %m : tensor<64x!tile.ptr<i32>>
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

// -----

// A loop that may wait for another program yields in each iteration.
// CHECK-LABEL: llvm.func @waiting
// CHECK: scf.while
// CHECK: llvm.atomicrmw add
// CHECK: } do {
// CHECK: llvm.call @tw_host_wait() : () -> ()
// CHECK: scf.yield
tile.func @waiting(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  scf.while : () -> () {
    %seen = tile.atomic_rmw add acq_rel gpu %p, %c0 : !tile.ptr<i32>
    %wait = arith.cmpi eq, %seen, %c0 : i32
    scf.condition(%wait)
  } do {
    scf.yield
  }
  tile.return
}

// -----

// A loop over its own numbers does not.
// CHECK-LABEL: llvm.func @counting
// CHECK: scf.while
// CHECK-NOT: tw_host_wait
tile.func @counting(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %c2 = arith.constant 2 : i32
  %r = scf.while (%i = %n) : (i32) -> i32 {
    %go = arith.cmpi sgt, %i, %c2 : i32
    scf.condition(%go) %i : i32
  } do {
  ^bb0(%i: i32):
    %half = arith.divsi %i, %c2 : i32
    scf.yield %half : i32
  }
  tile.store %p, %r : !tile.ptr<i32>
  tile.return
}

// -----

// Five elements of a piece that starts at element 64 of the block.
// CHECK-LABEL: llvm.func @print_part(
// CHECK-DAG: %[[COUNT:.*]] = arith.constant 5 : i64
// CHECK-DAG: %[[FIRST:.*]] = arith.constant 64 : i64
// CHECK: scf.for %[[I:.*]] = %{{.*}} to %[[COUNT]]
// CHECK: arith.addi %[[I]], %[[FIRST]]
// CHECK: llvm.call @tw_host_print(
tile.func @print_part() attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  tile.print "x = ", %r {isSigned = array<i1: true>, origin = array<i64: 64>, extent = array<i64: 5>} : tensor<8xi32>
  tile.return
}
