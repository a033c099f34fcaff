// RUN: tilewright-opt %s -convert-warp-to-llvm="compute-capability=90 arch-specific=true" -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}>
#k = #warp.pinned<0, #c>
#h = #warp.pinned<1, #c>
!left = !warp.shared<64x16xf16, #a>
!right = !warp.shared<16x16xf16, #b>
!turned = !warp.shared<16x16xf16, #t>
!ring = !warp.ring<2 x {!left, !turned, !turned}, async_groups>

// Pinned accumulators have no values, not even in the loop. Zeros are one
// operand.
// PTX-LABEL: .entry loop(
// PTX: .reg .b32 %a<8>;
// PTX: mov.b32 %a0,
// PTX: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%a0, %a1,
// PTX: mov.b32 %r{{[0-9]+}}, %a0;
// CHECK-LABEL: llvm.func @loop
// CHECK: llvm.inline_asm has_side_effects ".reg .b32 %a<8>;\0A.reg .b32 %b<4>;", ""
// CHECK: llvm.inline_asm has_side_effects "mov.b32 %a0, $0;\0Amov.b32 %a1, $0;{{.*}}mov.b32 %a7, $0;", "f" %{{.*}} : (f32) -> ()
// CHECK: llvm.br ^[[HEAD:.*]](%{{[0-9]*}} : i32)
// CHECK: ^[[HEAD]](%{{[0-9]*}}: i32):
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7}, $0, $1, add, 1, 1, 0, 0;
// CHECK-SAME: wgmma.wait_group.sync.aligned 0;", "l,l" %
// CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, %a0;{{.*}}mov.b32 $7, %a7;", "=f,=f,=f,=f,=f,=f,=f,=f"
tile.func @loop(%p: !tile.ptr<f32>, %n: i32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %0 = arith.constant 0 : i32
  %1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  warp.acc_decl [8, 4]
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !left
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !right
  %u = warp.acc_store %zero : tensor<64x16xf32, #c> -> tensor<64x16xf32, #k>
  %r = scf.for %i = %0 to %n step %1 iter_args(%x = %u) -> (tensor<64x16xf32, #k>) : i32 {
    %s = warp.wgmma %a, %b, %x : !left, !right, tensor<64x16xf32, #k>
    %w = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #k>
    scf.yield %w : tensor<64x16xf32, #k>
  }
  %t = warp.acc_load %r : tensor<64x16xf32, #k> -> tensor<64x16xf32, #c>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %q, %t : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// f16 accumulators are pinned in pairs. The first wgmma sets them; its wait is
// separate.
// CHECK-LABEL: llvm.func @f16
// CHECK: {%b0, %b1, %b2, %b3}, $0, $1, set,
// CHECK-SAME: "l,l" %
// CHECK: llvm.inline_asm has_side_effects "wgmma.wait_group.sync.aligned 0;", ""
// CHECK: llvm.inline_asm has_side_effects "mov.b32 $0, %b0;{{.*}}mov.b32 $3, %b3;", "=r,=r,=r,=r"
tile.func @f16(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf16, #h>
  warp.acc_decl [8, 4]
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !left
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !right
  %s = warp.wgmma %a, %b, %zero : !left, !right, tensor<64x16xf16, #h>
  warp.proxy_fence
  %w = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf16, #h>
  %t = warp.acc_load %w : tensor<64x16xf16, #h> -> tensor<64x16xf16, #c>
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>, #c>
  tile.store %q, %t : tensor<64x16x!tile.ptr<f16>, #c>
  tile.return
}

// Each of two merged dots may have ordinary or pinned accumulators.
// CHECK-LABEL: llvm.func @merged
// CHECK: m64n32k16.f32.f16.f16 {%a0, %a1, %a2, %a3, %a4, %a5, %a6, %a7, $0, $1, $2, $3, $4, $5, $6, $7}
tile.func @merged(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  warp.acc_decl [8]
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %i = arith.constant 0 : i32
  %slot, %l, %x, %y = warp.ring.wait %ring[%i] pending 0 : !ring
  %m = warp.shared_transpose %x {order = array<i32: 1, 0>} : !turned -> !right
  %n = warp.shared_transpose %y {order = array<i32: 1, 0>} : !turned -> !right
  %u = warp.acc_store %c : tensor<64x16xf32, #c> -> tensor<64x16xf32, #k>
  %s:2 = warp.wgmma %l, [%m, %n], [%u, %c] : !left, [!right, !right], [tensor<64x16xf32, #k>, tensor<64x16xf32, #c>]
  %w:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : tensor<64x16xf32, #k>, tensor<64x16xf32, #c>
  warp.ring.release %slot
  %t = warp.acc_load %w#0 : tensor<64x16xf32, #k> -> tensor<64x16xf32, #c>
  %z = arith.addf %t, %w#1 : tensor<64x16xf32, #c>
  tile.store %q, %z : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// A factor that is the same for all rows is one operand.
// PTX-LABEL: .entry scaled(
// PTX: mul.rn.f32 %a7, %a7, %r
// CHECK-LABEL: llvm.func @scaled
// CHECK: llvm.inline_asm has_side_effects "mul.rn.f32 %a0, %a0, $0;\0Amul.rn.f32 %a1, %a1, $0;{{.*}}mul.rn.f32 %a7, %a7, $0;", "f" %{{.*}} : (f32) -> ()
tile.func @scaled(%p: !tile.ptr<f32>, %f: f32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  warp.acc_decl [8]
  %u = warp.acc_store %c : tensor<64x16xf32, #c> -> tensor<64x16xf32, #k>
  %factor = tile.splat %f : f32 -> tensor<64x16xf32, #c>
  %s = warp.scale %u, %factor : tensor<64x16xf32, #k>, tensor<64x16xf32, #c>
  %t = warp.acc_load %s : tensor<64x16xf32, #k> -> tensor<64x16xf32, #c>
  tile.store %q, %t : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}
