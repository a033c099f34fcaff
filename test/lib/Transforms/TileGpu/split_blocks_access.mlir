// RUN: tilewright-opt %s -split-input-file -tile-gpu-split-blocks -canonicalize -cse | FileCheck %s

// The cut dimensions stay: each piece is reshaped on its own.
// CHECK-LABEL: tile.func @reshape_other_dims
// CHECK: tile.reshape %{{.*}} : tensor<64x8xf32> -> tensor<64x2x4xf32>
// CHECK: tile.reshape %{{.*}} : tensor<32x8xf32> -> tensor<32x2x4xf32>
// CHECK-NOT: tile.gather
tile.func @reshape_other_dims(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<96x8x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<96x8x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<96x8xf32> -> tensor<96x2x4xf32>
  %ys = tile.splat %x : !tile.ptr<f32> -> tensor<96x2x4x!tile.ptr<f32>>
  tile.store %ys, %r : tensor<96x2x4x!tile.ptr<f32>>
  tile.return
}

// -----

// Elements move between pieces: the linear index of each leads back to its
// source.
// CHECK-LABEL: tile.func @reshape_across
// CHECK: %[[N:.*]] = tile.reshape %{{.*}} : tensor<4x32xi32> -> tensor<128xi32>
// CHECK: %[[P:.*]] = arith.remui %[[N]], %{{.*}}
// CHECK: %[[A:.*]] = tile.gather %{{.*}}[%[[P]]] {axis = 0 : i32} : tensor<64xf32>, tensor<128xi32>
// CHECK: %[[Q:.*]] = arith.subi %[[P]]
// CHECK: %[[B:.*]] = tile.gather %{{.*}}[%[[Q]]] {axis = 0 : i32} : tensor<32xf32>, tensor<128xi32>
// CHECK: %[[IS_B:.*]] = arith.cmpi sge, %[[P]]
// CHECK: arith.select %[[IS_B]], %[[B]], %[[A]]
tile.func @reshape_across(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<96x!tile.ptr<f32>>
  %r = tile.reshape %v : tensor<96xf32> -> tensor<3x32xf32>
  %ys = tile.splat %x : !tile.ptr<f32> -> tensor<3x32x!tile.ptr<f32>>
  tile.store %ys, %r : tensor<3x32x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: tile.func @gather
// CHECK: %[[A:.*]] = tile.gather %{{.*}}[%[[I:.*]]] {axis = 0 : i32} : tensor<64xf32>, tensor<8xi32>
// CHECK: %[[J:.*]] = arith.subi %[[I]]
// CHECK: %[[B:.*]] = tile.gather %{{.*}}[%[[J]]] {axis = 0 : i32} : tensor<32xf32>, tensor<8xi32>
// CHECK: %[[IS_B:.*]] = arith.cmpi sge, %[[I]]
// CHECK: arith.select %[[IS_B]], %[[B]], %[[A]]
tile.func @gather(%x: !tile.ptr<f32>, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<96x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<96x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<8x!tile.ptr<i32>>
  %i = tile.load %ys : tensor<8x!tile.ptr<i32>>
  %g = tile.gather %v[%i] {axis = 0 : i32} : tensor<96xf32>, tensor<8xi32> -> tensor<8xf32>
  %zs = tile.splat %x : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>>
  tile.store %zs, %g : tensor<8x!tile.ptr<f32>>
  tile.return
}

// -----

// Bins from 64 on count numbers that are 64 greater. Padding is not counted.
// CHECK-LABEL: tile.func @histogram
// CHECK: %[[M:.*]] = arith.andi
// CHECK: tile.histogram %[[V:.*]], %[[M]] : tensor<128xi32> -> tensor<64xi32>
// CHECK: %[[W:.*]] = arith.subi %[[V]]
// CHECK: tile.histogram %[[W]], %[[M]] : tensor<128xi32> -> tensor<32xi32>
tile.func @histogram(%x: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 100 : i32} : tensor<100xi32>
  %ns = tile.splat %n : i32 -> tensor<100xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<100xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<100x!tile.ptr<i32>>
  %v = tile.load %xs : tensor<100x!tile.ptr<i32>>
  %h = tile.histogram %v, %m : tensor<100xi32> -> tensor<96xi32>
  %ys = tile.splat %x : !tile.ptr<i32> -> tensor<96x!tile.ptr<i32>>
  tile.store %ys, %h : tensor<96x!tile.ptr<i32>>
  tile.return
}

// -----

// Assembly may have side effects, and functions may not terminate for all
// values: padding repeats the last element.
// CHECK-LABEL: tile.func @functions
// CHECK: %[[I:.*]] = arith.minsi
// CHECK: %[[V:.*]] = tile.gather %{{.*}}[%[[I]]] {axis = 0 : i32} : tensor<4xi32>, tensor<4xi32>
// CHECK: tile.inline_asm {{.*}} pack = 1 %[[V]] : (tensor<4xi32>) -> tensor<4xi32>
// CHECK: "tile.map"(%[[V]])
tile.func @functions(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %v = tile.load %xs : tensor<3x!tile.ptr<i32>>
  %a = tile.inline_asm "mov.u32 $0, $1;" "=r,r" pack = 1 %v : (tensor<3xi32>) -> tensor<3xi32>
  %b = "tile.map"(%v) <{pack = 1 : i32}> ({
  ^bb0(%e: i32):
    tile.yield %e : i32
  }) : (tensor<3xi32>) -> tensor<3xi32>
  %c = arith.addi %a, %b : tensor<3xi32>
  tile.store %xs, %c : tensor<3x!tile.ptr<i32>>
  tile.return
}

// -----

// CHECK-LABEL: tile.func @atomics
// CHECK: %[[HELD:.*]] = arith.cmpi slt
// CHECK: tile.atomic_rmw add relaxed gpu %{{.*}}, %{{.*}}, %[[HELD]] : tensor<4x!tile.ptr<i32>>
// CHECK: tile.atomic_cas relaxed gpu %{{.*}}, %{{.*}}, %{{.*}}, %[[HELD]] : tensor<4x!tile.ptr<i32>>
tile.func @atomics(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 3 : i32} : tensor<3xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<3x!tile.ptr<i32>>
  %a = tile.atomic_rmw add relaxed gpu %xs, %i : tensor<3x!tile.ptr<i32>>
  %b = tile.atomic_cas relaxed gpu %xs, %a, %i : tensor<3x!tile.ptr<i32>>
  tile.return
}

// -----

// Pieces of a block of an array are blocks of it. Elements past a padded block
// may be read but not written: such stores use pointers.
// CHECK-LABEL: tile.func @descriptors
// CHECK-DAG: %[[A:.*]] = tile.make_descriptor {{.*}} : !tile.desc<128x64xf16>
// CHECK-DAG: %[[B:.*]] = tile.make_descriptor {{.*}} : !tile.desc<64x64xf16>
// CHECK: tile.descriptor_load %[[A]][%[[I:.*]], %[[J:.*]]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %{{.*}}
// CHECK: tile.descriptor_load %[[B]][%[[NEXT]], %[[J]]]
// CHECK: tile.descriptor_store %[[A]][%[[I]], %[[J]]]
// CHECK: tile.descriptor_store %[[B]][%[[NEXT]], %[[J]]]
// CHECK: tile.descriptor_store %[[A]][%[[I]], %[[J]]], %{{.*}} reduce fadd
// CHECK: tile.descriptor_store %[[B]][%[[NEXT]], %[[J]]], %{{.*}} reduce fadd
// CHECK: tile.descriptor_load %{{.*}} : !tile.desc<128xf16> -> tensor<128xf16>
// CHECK-NOT: tile.descriptor_store
// CHECK: tile.store {{.*}} : tensor<128x!tile.ptr<f16>>
// CHECK: tile.atomic_rmw fadd {{.*}} : tensor<128x!tile.ptr<f16>>
tile.func @descriptors(%x: !tile.ptr<f16>, %i: i32, %j: i32, %m: i64, %n: i64) attributes {tile.kernel} {
  %d = tile.make_descriptor %x, [%m, %n], [%n] : !tile.desc<192x64xf16>, !tile.ptr<f16>
  %v = tile.descriptor_load %d[%i, %j] : !tile.desc<192x64xf16> -> tensor<192x64xf16>
  tile.descriptor_store %d[%i, %j], %v : !tile.desc<192x64xf16>, tensor<192x64xf16>
  tile.descriptor_store %d[%i, %j], %v reduce fadd : !tile.desc<192x64xf16>, tensor<192x64xf16>
  %e = tile.make_descriptor %x, [%m], [] : !tile.desc<100xf16>, !tile.ptr<f16>
  %w = tile.descriptor_load %e[%i] : !tile.desc<100xf16> -> tensor<100xf16>
  tile.descriptor_store %e[%i], %w : !tile.desc<100xf16>, tensor<100xf16>
  tile.descriptor_store %e[%i], %w reduce fadd : !tile.desc<100xf16>, tensor<100xf16>
  tile.return
}

// -----

// CHECK-LABEL: tile.func @debug
// CHECK: %[[C:.*]] = arith.select %{{.*}}, %{{.*}}, %{{.*}} : tensor<64xi1>, tensor<64xi1>
// CHECK: tile.assert %[[C]], "all" : tensor<64xi1>
// CHECK: tile.print "x", %{{.*}} {extent = array<i64: 128>, isSigned = array<i1: true>, origin = array<i64: 0>} : tensor<128xi32>
// CHECK: tile.print "x", %{{.*}} {extent = array<i64: 2>, isSigned = array<i1: true>, origin = array<i64: 128>} : tensor<16xi32>
// CHECK: tile.print "x", %{{.*}} {isSigned = array<i1: false>} : i32
tile.func @debug(%n: i32) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 60 : i32} : tensor<60xi32>
  %ns = tile.splat %n : i32 -> tensor<60xi32>
  %m = arith.cmpi slt, %i, %ns : tensor<60xi32>
  tile.assert %m, "all" : tensor<60xi1>
  %j = tile.range {start = 0 : i32, end = 130 : i32} : tensor<130xi32>
  tile.print "x", %j, %n {isSigned = array<i1: true, false>} : tensor<130xi32>, i32
  tile.return
}
