// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp="compute-capability=90 arch-specific=true" | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp=compute-capability=90 | FileCheck %s --check-prefix=PLAIN

// Both operands are stored as loaded. B, which is contiguous along N, is read
// transposed. Q is stored once, before the loop.
// CHECK-DAG: #[[ACC:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
// CHECK-LABEL: tile.func @dot
// CHECK: %[[A:.*]] = tile.load
// CHECK-NEXT: %[[AS:.*]] = warp.alloc %[[A]] : {{.*}} -> !warp.shared<64x64xf16, #[[ROWS]]>
// CHECK: scf.for
// CHECK: %[[B:.*]] = tile.load
// CHECK-NEXT: %[[BS:.*]] = warp.alloc %[[B]] : {{.*}} -> !warp.shared<64x64xf16, #[[ROWS]]>
// CHECK-NEXT: %[[S:.*]] = warp.wgmma %[[AS]], %[[BS]], %{{.*}} : {{.*}}, tensor<64x64xf32, #[[ACC]]>
// CHECK-NEXT: %[[D:.*]] = warp.wgmma_wait %[[S]] {pendings = 0 : i32}
// CHECK-NEXT: scf.yield %[[D]]
// PLAIN-LABEL: tile.func @dot
// PLAIN-NOT: wgmma
// PLAIN: warp.mma
tile.func @dot(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %m = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n1 = tile.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = arith.muli %m1, %c64 : tensor<64x1xi32>
  %m2 = tile.broadcast %ms : tensor<64x1xi32> -> tensor<64x64xi32>
  %n2 = tile.broadcast %n1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %off = arith.addi %m2, %n2 : tensor<64x64xi32>
  %pp = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %pp, %off : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %a = tile.load %q : tensor<64x64x!tile.ptr<f16>>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %b = tile.load %q {volatile} : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %r = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %r, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Attention: K transposed is a view of its memory, and the scores already have
// the register layout of the next dot.
// CHECK-LABEL: tile.func @chain
// CHECK: warp.alloc
// CHECK: %[[K:.*]] = warp.alloc
// CHECK: %[[KT:.*]] = warp.shared_transpose %[[K]] {order = array<i32: 1, 0>}
// CHECK-NOT: tile.transpose
// CHECK: warp.wgmma %{{.*}}, %[[KT]],
// CHECK: %[[S:.*]] = warp.wgmma_wait
// CHECK-NEXT: %[[P:.*]] = arith.truncf %[[S]]
// CHECK-NEXT: warp.wgmma %[[P]], %[[K]],
tile.func @chain(%x: f16, %k: f16, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %b = tile.splat %k : f16 -> tensor<64x64xf16>
  %bt = tile.transpose %b {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %s = tile.dot %a, %bt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.dot %p, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %o : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Too few rows for a warpgroup.
// CHECK-LABEL: tile.func @small
// CHECK-NOT: wgmma
// CHECK: warp.mma
tile.func @small(%x: f16, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<32x64xf32>
  %a = tile.splat %x : f16 -> tensor<32x64xf16>
  %b = tile.splat %x : f16 -> tensor<64x64xf16>
  %o = tile.dot %a, %b, %zero : tensor<32x64xf16>, tensor<64x64xf16>, tensor<32x64xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<32x64x!tile.ptr<f32>>
  tile.store %q, %o : tensor<32x64x!tile.ptr<f32>>
  tile.return
}

// -----

// More than shared memory holds.
// CHECK-LABEL: tile.func @large
// CHECK-NOT: wgmma
// CHECK: warp.mma
tile.func @large(%x: f16, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %x : f16 -> tensor<64x1024xf16>
  %b = tile.splat %x : f16 -> tensor<1024x64xf16>
  %o = tile.dot %a, %b, %zero : tensor<64x1024xf16>, tensor<1024x64xf16>, tensor<64x64xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %o : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Packed words keep the layout of their load while they are unpacked.
// CHECK-DAG: #[[WORDS:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], lane = {{\[\[}}0, 4], [0, 8], [0, 16], [8, 0], [16, 0]], warp = {{\[\[}}32, 0], [64, 0]], block = []}>
// CHECK-LABEL: tile.func @packed
// CHECK: arith.sitofp {{.*}} : tensor<128x32xi32, #[[WORDS]]> to tensor<128x32xf16, #[[WORDS]]>
tile.func @packed(%p: !tile.ptr<i32>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0> : tensor<16x32xi32>
  %shift = arith.constant dense<4> : tensor<128x32xi32>
  %a = arith.constant dense<1.0> : tensor<64x128xf16>
  %acc = arith.constant dense<0.0> : tensor<64x32xf32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<16x32x!tile.ptr<i32>>
  %q = tile.addptr %ps, %zero {tile.contiguity = array<i32: 1, 32>, tile.divisibility = array<i32: 16, 16>} : tensor<16x32x!tile.ptr<i32>>, tensor<16x32xi32>
  %w = tile.load %q : tensor<16x32x!tile.ptr<i32>>
  %w1 = tile.reshape %w : tensor<16x32xi32> -> tensor<16x1x32xi32>
  %w8 = tile.broadcast %w1 : tensor<16x1x32xi32> -> tensor<16x8x32xi32>
  %each = tile.reshape %w8 : tensor<16x8x32xi32> -> tensor<128x32xi32>
  %bits = arith.shrsi %each, %shift : tensor<128x32xi32>
  %b = arith.sitofp %bits : tensor<128x32xi32> to tensor<128x32xf16>
  %sum = tile.dot %a, %b, %acc : tensor<64x128xf16>, tensor<128x32xf16>, tensor<64x32xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %os, %sum : tensor<64x32x!tile.ptr<f32>>
  tile.return
}
