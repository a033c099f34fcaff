// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// One op per register; subexpressions that both registers share are computed
// once.
// CHECK-LABEL: llvm.func @two_registers
tile.func @two_registers(%x: f32, %y: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<64xf32, #l>
  %b = tile.splat %y : f32 -> tensor<64xf32, #l>
  // CHECK-COUNT-2: llvm.fmul %{{.*}}, %{{.*}} {fastmathFlags = #llvm.fastmath<contract>} : f32
  // CHECK-NOT: llvm.fmul
  %c = arith.mulf %a, %b fastmath<contract> : tensor<64xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l>
  tile.store %ps, %c : tensor<64x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Four neighbours never straddle a multiple of 16: one comparison per group.
// Nothing is known of other numbers, or of floats.
// CHECK-LABEL: llvm.func @repeated
tile.func @repeated(%n: i32 {tile.divisibility = 16 : i32}, %m: i32, %x: f32, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  // CHECK-COUNT-2: llvm.icmp "slt"
  // CHECK-NOT: llvm.icmp "slt"
  %a = arith.cmpi slt, %r, %ns : tensor<256xi32, #l>
  %ms = tile.splat %m : i32 -> tensor<256xi32, #l>
  // CHECK-COUNT-8: llvm.icmp "sgt"
  %b = arith.cmpi sgt, %r, %ms : tensor<256xi32, #l>
  // CHECK-COUNT-8: llvm.and {{.*}} : i1
  %c = arith.andi %a, %b : tensor<256xi1, #l>
  %xs = tile.splat %x : f32 -> tensor<256xf32, #l>
  %zero = arith.constant dense<0.0> : tensor<256xf32, #l>
  // CHECK-COUNT-8: llvm.select
  %y = arith.select %a, %xs, %zero : tensor<256xi1, #l>, tensor<256xf32, #l>
  // CHECK-COUNT-8: llvm.select
  %z = arith.select %c, %y, %zero : tensor<256xi1, #l>, tensor<256xf32, #l>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %qr = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  tile.store %qr, %z : tensor<256x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// The remainders of four neighbours by a multiple of 16 count up: one division per group. By any other number they may
// wrap around.
// CHECK-LABEL: llvm.func @remainders
tile.func @remainders(%n: i32 {tile.divisibility = 16 : i32}, %m: i32, %q: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  // CHECK: %[[FIRST:.*]] = llvm.srem
  // CHECK-COUNT-3: llvm.add %[[FIRST]], %{{.*}} : i32
  // CHECK: %[[OTHER:.*]] = llvm.srem
  // CHECK-COUNT-3: llvm.add %[[OTHER]], %{{.*}} : i32
  // CHECK-NOT: llvm.srem
  %a = arith.remsi %r, %ns : tensor<256xi32, #l>
  %ms = tile.splat %m : i32 -> tensor<256xi32, #l>
  // CHECK-COUNT-8: llvm.urem
  %b = arith.remui %r, %ms : tensor<256xi32, #l>
  %c = arith.muli %a, %b : tensor<256xi32, #l>
  %qs = tile.splat %q : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #l>
  %qr = tile.addptr %qs, %r : tensor<256x!tile.ptr<i32>, #l>, tensor<256xi32, #l>
  tile.store %qr, %c : tensor<256x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[2], [8], [128]], lane = [[1], [4], [16], [32], [64]], warp = []}>

// The registers need not be neighbours: these are within 16, in two such groups.
// CHECK-LABEL: llvm.func @repeated_apart
tile.func @repeated_apart(%n: i32 {tile.divisibility = 16 : i32}, %m: i32 {tile.divisibility = 8 : i32}, %x: f32, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  // CHECK-COUNT-2: llvm.icmp "slt"
  // CHECK-NOT: llvm.icmp "slt"
  %a = arith.cmpi slt, %r, %ns : tensor<256xi32, #l>
  %ms = tile.splat %m : i32 -> tensor<256xi32, #l>
  // CHECK-COUNT-4: llvm.icmp "sge"
  // CHECK-NOT: llvm.icmp "sge"
  %b = arith.cmpi sge, %r, %ms : tensor<256xi32, #l>
  %c = arith.ori %a, %b : tensor<256xi1, #l>
  %xs = tile.splat %x : f32 -> tensor<256xf32, #l>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %qr = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  tile.store %qr, %xs, %c : tensor<256x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// A constant tile, also of 8-bit floats, is one scalar.
// CHECK-LABEL: llvm.func @constants
tile.func @constants(%p: !tile.ptr<f8E4M3FN>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-DAG: llvm.mlir.constant(56 : i8) : i8
  // CHECK-DAG: llvm.mlir.constant(2.500000e+00 : f32) : f32
  %a = arith.constant dense<1.0> : tensor<32xf8E4M3FN, #l>
  %b = arith.constant dense<2.5> : tensor<32xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f8E4M3FN> -> tensor<32x!tile.ptr<f8E4M3FN>, #l>
  tile.store %ps, %a : tensor<32x!tile.ptr<f8E4M3FN>, #l>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  tile.store %qs, %b : tensor<32x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// Pointers are selected as addresses, 8-bit floats as bytes; an op with two
// results becomes one with two scalars.
// CHECK-LABEL: llvm.func @kinds
tile.func @kinds(%c: i1, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %f: f8E5M2, %g: f8E5M2, %i: i32, %r: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, !llvm.ptr<1>
  %s = arith.select %c, %p, %q : !tile.ptr<f32>
  // CHECK: llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i8
  %h = arith.select %c, %f, %g : f8E5M2
  %b = tile.bitcast %s : !tile.ptr<f32> -> !tile.ptr<f8E5M2>
  tile.store %b, %h : !tile.ptr<f8E5M2>
  %t = tile.splat %i : i32 -> tensor<32xi32, #l>
  // CHECK: llvm.mul %{{.*}}, %{{.*}} : i64
  %lo, %hi = arith.mului_extended %t, %t : tensor<32xi32, #l>
  %rs = tile.splat %r : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #l>
  tile.store %rs, %hi : tensor<32x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Four neighbours never straddle a multiple of four: one comparison per group. Nothing is known of an arbitrary bound.
// CHECK-LABEL: llvm.func @neighbours
// CHECK-COUNT-2: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
// CHECK: llvm.return
tile.func @neighbours(%p: !tile.ptr<i8>, %n: i32 {tile.divisibility = 4 : i32}) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  %inside = arith.cmpi slt, %r, %ns : tensor<256xi32, #l>
  %bytes = arith.extui %inside : tensor<256xi1, #l> to tensor<256xi8, #l>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>, #l>
  tile.store %ps, %bytes : tensor<256x!tile.ptr<i8>, #l>
  tile.return
}

// CHECK-LABEL: llvm.func @anywhere
// CHECK-COUNT-8: llvm.icmp "slt"
// CHECK-NOT: llvm.icmp "slt"
tile.func @anywhere(%p: !tile.ptr<i8>, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<256xi32, #l>
  %inside = arith.cmpi slt, %r, %ns : tensor<256xi32, #l>
  %bytes = arith.extui %inside : tensor<256xi1, #l> to tensor<256xi8, #l>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<256x!tile.ptr<i8>, #l>
  tile.store %ps, %bytes : tensor<256x!tile.ptr<i8>, #l>
  tile.return
}
