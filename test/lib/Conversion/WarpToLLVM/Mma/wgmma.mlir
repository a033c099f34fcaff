// RUN: tilewright-opt %s -convert-warp-to-llvm="compute-capability=90 arch-specific=true" -canonicalize -cse | FileCheck %s

// 64 x 32 and 32 x 16 f16 in rows of 64 bytes.
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
// The same B with the other dimension contiguous, rows of 32 bytes.
#t = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}>

// Two steps along k, 32 bytes further each; rows of 8 are 512 bytes apart. A
// wait that does not directly follow the wgmma is a separate piece of PTX.
// CHECK-LABEL: @shared
// 2 << 62 | 32 << 32 | 1 << 16: the swizzle, the stride and the leading offset.
// CHECK: llvm.mlir.constant(-9223371899415756800 : i64)
// CHECK: llvm.inline_asm has_side_effects
// CHECK-SAME: setp.eq.b32 add, 0, 0;
// CHECK-SAME: wgmma.fence.sync.aligned;
// CHECK-SAME: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {$0, $1, $2, $3, $4, $5, $6, $7}, $8, $9, add, 1, 1, 0, 0;
// CHECK-SAME: add.s64 a, $8, 2;\0Aadd.s64 b, $9, 2;
// CHECK-SAME: {$0, $1, $2, $3, $4, $5, $6, $7}, a, b, add, 1, 1, 0, 0;
// CHECK-SAME: wgmma.commit_group.sync.aligned;
// CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,l,l,0,1,2,3,4,5,6,7"
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
tile.func @shared(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  warp.proxy_fence
  %d = warp.wgmma_wait %s {pendings = 1 : i32} : tensor<64x16xf32, #c>
  tile.store %q, %d : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// An accumulator that is named twice is waited for once: it would be copied
// before the wait.
// CHECK-LABEL: @twice
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 1;", "=f,=f,=f,=f,=f,=f,=f,=f,0,1,2,3,4,5,6,7"
tile.func @twice(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  warp.proxy_fence
  %d:2 = warp.wgmma_wait %s, %s {pendings = 1 : i32} : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  %e = arith.addf %d#0, %d#1 : tensor<64x16xf32, #c>
  tile.store %q, %e : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

#h = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>

// A in registers; B transposed, 16 rows of 32 bytes a step; the accumulators
// start at zero, so none is tied.
// CHECK-LABEL: @registers
// CHECK: setp.ne.b32 set, 0, 0;
// CHECK-SAME: m64n16k16.f32.bf16.bf16 {$0, $1, $2, $3, $4, $5, $6, $7}, {$8, $9, $10, $11}, $16, set, 1, 1, 1;
// CHECK-SAME: add.s64 b, $16, 32;
// CHECK-SAME: {$12, $13, $14, $15}, b, add, 1, 1, 1;
// CHECK-SAME: "=f,=f,=f,=f,=f,=f,=f,=f,r,r,r,r,r,r,r,r,l"
tile.func @registers(%p: !tile.ptr<bf16>, %o: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<bf16> -> tensor<64x32x!tile.ptr<bf16>, #h>
  %a = tile.load %q : tensor<64x32x!tile.ptr<bf16>, #h>
  %b = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<32x16xbf16, #t>
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %s = warp.wgmma %a, %b, %zero : tensor<64x32xbf16, #h>, !warp.shared<32x16xbf16, #t>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  %r = tile.splat %o : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %r, %d : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

#two = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 8]]}>

// Two warpgroups along N: the second starts at column 8 of B. f16 accumulators
// are in pairs. A wait directly after the wgmma is part of its piece.
// CHECK-LABEL: @groups
// CHECK: nvvm.shfl.sync idx
// CHECK: m64n8k16.f16.f16.f16 {$0, $1}
// CHECK-SAME: wgmma.commit_group.sync.aligned;\0A}\0Awgmma.wait_group.sync.aligned 0;
// CHECK-SAME: "=r,=r,l,l,0,1"
// CHECK-NOT: wait_group
// CHECK: fence.proxy.async.shared::cta;
tile.func @groups(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #two>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f16>, #two>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf16, #two>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf16, #two>
  warp.proxy_fence
  tile.store %q, %d : tensor<64x16x!tile.ptr<f16>, #two>
  tile.return
}

#a8 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b8 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8]]}>

// Bytes have no majorness, and integers no operand signs.
// CHECK-LABEL: @bytes
// CHECK: m64n16k32.s32.s8.s8 {{.*}}, $8, $9, add;
// CHECK: m64n16k32.f32.e4m3.e5m2 {{.*}}, $8, $9, add, 1, 1;
tile.func @bytes(%p: !tile.ptr<i32>, %o: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<i32> -> tensor<64x16x!tile.ptr<i32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<i32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xi8, #a8>
  %b = warp.alloc {warp.shared_offset = 2048 : i32} : !warp.shared<32x16xi8, #b8>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xi8, #a8>, !warp.shared<32x16xi8, #b8>, tensor<64x16xi32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xi32, #c>
  tile.store %q, %d : tensor<64x16x!tile.ptr<i32>, #c>
  %r = tile.splat %o : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %z = tile.load %r : tensor<64x16x!tile.ptr<f32>, #c>
  %e = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf8E4M3FN, #a8>
  %f = warp.alloc {warp.shared_offset = 2048 : i32} : !warp.shared<32x16xf8E5M2, #b8>
  %u = warp.wgmma %e, %f, %z : !warp.shared<64x32xf8E4M3FN, #a8>, !warp.shared<32x16xf8E5M2, #b8>, tensor<64x16xf32, #c>
  %v = warp.wgmma_wait %u {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %r, %v : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

#a32 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}>
#b32 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4], [0, 8]]}>

// A transposed view of memory has the same address.
// CHECK-LABEL: @tf32
// CHECK: m64n16k8.f32.tf32.tf32 {{.*}}, $8, $9, add, 1, 1;
tile.func @tf32(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x8xf32, #a32>
  %t = warp.alloc {warp.shared_offset = 2048 : i32} : !warp.shared<16x8xf32, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0]]}>>
  %b = warp.shared_transpose %t {order = array<i32: 1, 0>} : !warp.shared<16x8xf32, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0]]}>> -> !warp.shared<8x16xf32, #b32>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x8xf32, #a32>, !warp.shared<8x16xf32, #b32>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %q, %d : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}
