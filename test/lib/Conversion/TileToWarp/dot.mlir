// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp=compute-capability=80 | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp=compute-capability=90 | FileCheck %s --check-prefix=SM90

// Two by two warps. Loaded operands go through shared memory, the accumulator
// stays in its registers through the loop, and the result is stored in vectors
// of eight f16.
// CHECK-DAG: #[[ACC:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 8], [16, 0]], block = []}>
// CHECK-DAG: #[[A:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [32, 0]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}0, 0], [16, 0]], block = []}>
// CHECK-DAG: #[[B:.*]] = #warp.linear<{register = {{\[\[}}1, 0], [8, 0], [16, 0], [0, 16], [0, 32]], lane = {{\[\[}}2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = {{\[\[}}0, 8], [0, 0]], block = []}>
// CHECK-DAG: #[[WIDE:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [16, 0], [32, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}>
// CHECK-LABEL: tile.func @dot
// CHECK: scf.for {{.*}} -> (tensor<64x64xf32, #[[ACC]]>)
// CHECK: %[[A0:.*]] = tile.load
// CHECK: %[[AM:.*]] = warp.alloc %[[A0]]
// CHECK: %[[A1:.*]] = warp.local_load %[[AM]] : {{.*}} -> tensor<64x32xf16, #[[A]]>
// CHECK: %[[B0:.*]] = tile.load
// CHECK: %[[BM:.*]] = warp.alloc %[[B0]]
// CHECK: %[[B1:.*]] = warp.local_load %[[BM]] : {{.*}} -> tensor<32x64xf16, #[[B]]>
// CHECK: warp.mma %[[A1]], %[[B1]], %{{.*}}
// CHECK-NEXT: scf.yield
// CHECK: arith.truncf {{.*}} : tensor<64x64xf32, #[[ACC]]> to tensor<64x64xf16, #[[ACC]]>
// CHECK-NEXT: warp.convert_layout {{.*}} -> tensor<64x64xf16, #[[WIDE]]>
// CHECK: tile.store {{.*}} : tensor<64x64x!tile.ptr<f16>, #[[WIDE]]>
tile.func @dot(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %k64 = arith.constant dense<64> : tensor<32x1xi32>
  %m = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n1 = tile.expand_dims %m {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %k1 = tile.expand_dims %k {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %l1 = tile.expand_dims %k {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ms = arith.muli %m1, %c64 : tensor<64x1xi32>
  %ls = arith.muli %l1, %k64 : tensor<32x1xi32>
  %m2 = tile.broadcast %ms : tensor<64x1xi32> -> tensor<64x32xi32>
  %k2 = tile.broadcast %k1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %l2 = tile.broadcast %ls : tensor<32x1xi32> -> tensor<32x64xi32>
  %n2 = tile.broadcast %n1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %m3 = tile.broadcast %ms : tensor<64x1xi32> -> tensor<64x64xi32>
  %n3 = tile.broadcast %n1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %oa = arith.addi %m2, %k2 : tensor<64x32xi32>
  %ob = arith.addi %l2, %n2 : tensor<32x64xi32>
  %oc = arith.addi %m3, %n3 : tensor<64x64xi32>
  %pa = tile.splat %p : !tile.ptr<f16> -> tensor<64x32x!tile.ptr<f16>>
  %pb = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %pc = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %qa = tile.addptr %pa, %oa : tensor<64x32x!tile.ptr<f16>>, tensor<64x32xi32>
  %qb = tile.addptr %pb, %ob : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %qc = tile.addptr %pc, %oc : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %a = tile.load %qa : tensor<64x32x!tile.ptr<f16>>
    %b = tile.load %qb : tensor<32x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %h = arith.truncf %sum : tensor<64x64xf32> to tensor<64x64xf16>
  tile.store %qc, %h : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// The result of one dot is an operand of the next. All warps lie along its
// rows, so the registers already have the layout that the second dot needs.
// CHECK-LABEL: tile.func @chain
// CHECK: %[[S:.*]] = warp.mma
// CHECK-NEXT: %[[P:.*]] = arith.truncf %[[S]]
// CHECK-NEXT: warp.mma %[[P]],
tile.func @chain(%x: f16, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %s = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  %o = tile.dot %p, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %o : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Threads compute IEEE dots of f32. They read their operands from shared memory
// four steps at a time.
// CHECK-LABEL: tile.func @threads
// CHECK: %[[A:.*]] = warp.alloc %
// CHECK: %[[B:.*]] = warp.alloc %
// CHECK: %[[A0:.*]] = warp.local_load %[[A]] {dot = 0 : i32, start = array<i64: 0, 0>}
// CHECK: %[[B0:.*]] = warp.local_load %[[B]] {dot = 0 : i32, start = array<i64: 0, 0>}
// CHECK: %[[S0:.*]] = tile.dot %[[A0]], %[[B0]], %{{.*}} : tensor<64x4xf32, #{{.*}}>, tensor<4x64xf32, #{{.*}}>, tensor<64x64xf32, #{{.*}}>
// CHECK: %[[A1:.*]] = warp.local_load %[[A]] {dot = 0 : i32, start = array<i64: 0, 4>}
// CHECK: %[[B1:.*]] = warp.local_load %[[B]] {dot = 0 : i32, start = array<i64: 4, 0>}
// CHECK: tile.dot %[[A1]], %[[B1]], %[[S0]]
// CHECK-COUNT-2: tile.dot
// CHECK-NOT: tile.dot
// CHECK-NOT: warp.mma
tile.func @threads(%x: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %x : f32 -> tensor<64x16xf32>
  %b = tile.splat %x : f32 -> tensor<16x64xf32>
  %o = tile.dot %a, %b, %zero : tensor<64x16xf32>, tensor<16x64xf32>, tensor<64x64xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %o : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Too few rows for tensor cores: products of f16 are exact in f32.
// CHECK-LABEL: tile.func @small
// CHECK-COUNT-2: arith.extf
// CHECK: tile.dot {{.*}} : tensor<8x16xf32, #{{.*}}>, tensor<16x16xf32, #{{.*}}>, tensor<8x16xf32, #{{.*}}>
// CHECK: arith.truncf {{.*}} to tensor<8x16xf16
tile.func @small(%x: f16, %out: !tile.ptr<f16>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<8x16xf16>
  %a = tile.splat %x : f16 -> tensor<8x16xf16>
  %b = tile.splat %x : f16 -> tensor<16x16xf16>
  %o = tile.dot %a, %b, %zero : tensor<8x16xf16>, tensor<16x16xf16>, tensor<8x16xf16>
  %q = tile.splat %out : !tile.ptr<f16> -> tensor<8x16x!tile.ptr<f16>>
  tile.store %q, %o : tensor<8x16x!tile.ptr<f16>>
  tile.return
}

// -----

// Operands are rounded to tf32, except NaN.
// CHECK-LABEL: tile.func @tf32
// CHECK: arith.bitcast
// CHECK: arith.cmpf uno
// CHECK: arith.select
// CHECK-COUNT-1: warp.mma {{.*}} : tensor<16x16xf32, #{{.*}}>, tensor<16x16xf32, #{{.*}}>
// CHECK-NOT: warp.mma
tile.func @tf32(%x: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %x : f32 -> tensor<16x16xf32>
  %o = tile.dot %a, %a, %zero precision = tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %o : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The small terms are accumulated first, the large ones last.
// CHECK-LABEL: tile.func @tf32x3
// CHECK: %[[D0:.*]] = warp.mma %{{.*}}, %[[BIG:.*]], %{{[^:]*}} :
// CHECK: %[[D1:.*]] = warp.mma %{{.*}}, %{{.*}}, %[[D0]] :
// CHECK: warp.mma %{{.*}}, %[[BIG]], %[[D1]] :
tile.func @tf32x3(%x: f32, %y: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %x : f32 -> tensor<16x16xf32>
  %b = tile.splat %y : f32 -> tensor<16x16xf32>
  %o = tile.dot %a, %b, %zero precision = tf32x3 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %o : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Before sm_89 there is no mma of 8-bit floats. Later GPUs accumulate them in
// f32.
// CHECK-LABEL: tile.func @float8
// CHECK: arith.extf {{.*}} to tensor<16x32xf16
// CHECK: arith.extf {{.*}} to tensor<32x16xf16
// CHECK: warp.mma {{.*}} : tensor<16x32xf16, #{{.*}}>, tensor<32x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>
// SM90-LABEL: tile.func @float8
// SM90: warp.mma {{.*}} : tensor<16x32xf8E4M3FN, #{{.*}}>, tensor<32x16xf8E5M2, #{{.*}}>, tensor<16x16xf32, #{{.*}}>
// SM90: arith.truncf {{.*}} to tensor<16x16xf16
tile.func @float8(%x: f8E4M3FN, %y: f8E5M2, %out: !tile.ptr<f16>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16>
  %a = tile.splat %x : f8E4M3FN -> tensor<16x32xf8E4M3FN>
  %b = tile.splat %y : f8E5M2 -> tensor<32x16xf8E5M2>
  %o = tile.dot %a, %b, %zero : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E5M2>, tensor<16x16xf16>
  %q = tile.splat %out : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  tile.store %q, %o : tensor<16x16x!tile.ptr<f16>>
  tile.return
}

// -----

// The dots of a batch are distributed over the warps, then over registers. Each
// is computed by mma.sync, even if warpgroups could compute a single one.
// CHECK-DAG: #[[ACC:.*]] = #warp.linear<{register = {{\[\[}}0, 0, 1], [0, 8, 0], {{.*}}[4, 0, 0]], lane = {{\[\[}}0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = {{\[\[}}1, 0, 0], [2, 0, 0]], block = []}>
// CHECK-DAG: #[[A:.*]] = #warp.linear<{register = {{\[\[}}0, 0, 1], [0, 8, 0], [0, 0, 8], {{.*}}[4, 0, 0]], lane = {{.*}}, warp = {{\[\[}}1, 0, 0], [2, 0, 0]], block = []}>
// CHECK-DAG: #[[B:.*]] = #warp.linear<{register = {{\[\[}}0, 1, 0], [0, 8, 0], {{.*}}[4, 0, 0]], lane = {{\[\[}}0, 2, 0], {{.*}}, warp = {{\[\[}}1, 0, 0], [2, 0, 0]], block = []}>
// CHECK-LABEL: tile.func @batch
// CHECK: warp.mma {{.*}} : tensor<8x64x16xf16, #[[A]]>, tensor<8x16x64xf16, #[[B]]>, tensor<8x64x64xf32, #[[ACC]]>
// SM90-LABEL: tile.func @batch
// SM90: warp.mma
tile.func @batch(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<8x64x64xf32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<8x64x16x!tile.ptr<f16>>
  %pt = tile.splat %p : !tile.ptr<f16> -> tensor<8x16x64x!tile.ptr<f16>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<8x64x64x!tile.ptr<f32>>
  %a = tile.load %ps : tensor<8x64x16x!tile.ptr<f16>>
  %b = tile.load %pt : tensor<8x16x64x!tile.ptr<f16>>
  %d = tile.dot %a, %b, %zero : tensor<8x64x16xf16>, tensor<8x16x64xf16>, tensor<8x64x64xf32>
  tile.store %qs, %d : tensor<8x64x64x!tile.ptr<f32>>
  tile.return
}
