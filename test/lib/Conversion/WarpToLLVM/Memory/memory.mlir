// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = []}>

// Eight aligned f16 are one access of 16 bytes, LLVM's own without a mask.
// CHECK-LABEL: llvm.func @plain
tile.func @plain(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #l>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<f16>, #l>, tensor<256xi32, #l>
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<1> -> vector<8xf16>
  %v = tile.load %xp : tensor<256x!tile.ptr<f16>, #l>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>, #l>
  %yp = tile.addptr %ys, %r : tensor<256x!tile.ptr<f16>, #l>, tensor<256xi32, #l>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<8xf16>, !llvm.ptr<1>
  tile.store %yp, %v : tensor<256x!tile.ptr<f16>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// A mask that is constant on each group is a predicate; `other` initialises the
// registers. Both loads come before the first use.
// CHECK-LABEL: llvm.func @masked
tile.func @masked(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<128xi32, #l>
  %m = arith.cmpi slt, %r, %ns : tensor<128xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #l>
  %xp = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>, #l>, tensor<128xi32, #l>
  %o = arith.constant dense<1.0> : tensor<128xf32, #l>
  // CHECK: llvm.inline_asm has_side_effects "@$4 ld.global.L1::evict_first.v4.b32 {$0, $1, $2, $3}, [$5];", "=r,=r,=r,=r,b,l,0,1,2,3"
  %v = tile.load %xp, %m, %o evict = evict_first : tensor<128x!tile.ptr<f32>, #l>
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.global.cs.v4.b32 [$1], {$2, $3, $4, $5};", "b,l,r,r,r,r"
  tile.store %xp, %v, %m cache = cs : tensor<128x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Nothing is known of %x: one element at a time.
// CHECK-LABEL: llvm.func @unaligned
tile.func @unaligned(%x: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #l>
  %xp = tile.addptr %xs, %r : tensor<128x!tile.ptr<f32>, #l>, tensor<128xi32, #l>
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<1> -> f32
  // CHECK-NOT: llvm.load
  %v = tile.load %xp : tensor<128x!tile.ptr<f32>, #l>
  tile.store %xp, %v : tensor<128x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]]}>

// The upper half of each warp and the second warp hold copies: lanes 0 to 15 of
// warp 0 store. 48 = 16 + 32 are the bits of the others.
// CHECK-LABEL: llvm.func @copies
tile.func @copies(%x: !tile.ptr<i8>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // CHECK: %[[COPIES:.*]] = llvm.mlir.constant(48 : i32)
  // CHECK: %[[BITS:.*]] = llvm.and %{{.*}}, %[[COPIES]]
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq" %[[BITS]]
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.global.b8 [$1], $2;", "b,l,h" %[[OWNER]]
  %v = arith.constant dense<7> : tensor<16xi8, #l>
  %xs = tile.splat %x : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>, #l>
  tile.store %xs, %v : tensor<16x!tile.ptr<i8>, #l>
  tile.return
}

// -----

// Every thread loads a scalar, one stores it; a volatile load is volatile in
// PTX.
// CHECK-LABEL: llvm.func @scalar
tile.func @scalar(%x: !tile.ptr<f64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.inline_asm has_side_effects "ld.volatile.global.b64 $0, [$1];", "=l,l"
  %v = tile.load %x volatile : !tile.ptr<f64>
  // CHECK: %[[FIRST:.*]] = llvm.icmp "eq" %{{.*}}, %{{.*}} : i32
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.global.b64 [$1], $2;", "b,l,l" %[[FIRST]]
  tile.store %x, %v : !tile.ptr<f64>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1, 0], [2, 0], [0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = []}>
#r = #warp.linear<{register = [[1], [2], [0]], lane = [[0], [0], [0], [0], [0]], warp = []}>
#c = #warp.linear<{register = [[1, 0], [2, 0], [0, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = []}>

// A scale for four rows is loaded once, also under a mask; with different
// `other` elements they are loaded one by one.
// CHECK-LABEL: llvm.func @repeated
tile.func @repeated(%x: !tile.ptr<f32>, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #r>
  %four = arith.constant dense<4> : tensor<4xi32, #r>
  %q = arith.divsi %r, %four : tensor<4xi32, #r>
  %q1 = tile.expand_dims %q {axis = 1 : i32} : tensor<4xi32, #r> -> tensor<4x1xi32, #c>
  %q2 = tile.broadcast %q1 : tensor<4x1xi32, #c> -> tensor<4x64xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<4x64x!tile.ptr<f32>, #l>
  %at = tile.addptr %xs, %q2 : tensor<4x64x!tile.ptr<f32>, #l>, tensor<4x64xi32, #l>
  %ns = tile.splat %n : i32 -> tensor<4x64xi32, #l>
  %inside = arith.cmpi slt, %q2, %ns : tensor<4x64xi32, #l>
  %zero = arith.constant dense<0.0> : tensor<4x64xf32, #l>
  // CHECK-COUNT-1: llvm.load
  // CHECK-NOT: llvm.load
  %a = tile.load %at : tensor<4x64x!tile.ptr<f32>, #l>
  // CHECK: ld.global
  // CHECK-NOT: ld.global
  // CHECK: llvm.fadd
  %b = tile.load %at, %inside, %zero : tensor<4x64x!tile.ptr<f32>, #l>
  %c = arith.addf %a, %b : tensor<4x64xf32, #l>
  %o = arith.sitofp %q2 : tensor<4x64xi32, #l> to tensor<4x64xf32, #l>
  // CHECK-COUNT-8: ld.global
  %d = tile.load %at, %inside, %o : tensor<4x64x!tile.ptr<f32>, #l>
  %e = arith.mulf %c, %d : tensor<4x64xf32, #l>
  tile.store %xs, %e : tensor<4x64x!tile.ptr<f32>, #l>
  tile.return
}
