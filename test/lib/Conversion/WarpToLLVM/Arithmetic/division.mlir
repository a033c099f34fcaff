// RUN: tilewright-opt %s --convert-warp-to-llvm="compute-capability=90 arch-specific=true" --split-input-file | FileCheck %s

// IEEE division is LLVM's; `arcp` selects the fast one, `afn` the fastest.
// CHECK-LABEL: llvm.func @plain
tile.func @plain(%x: f32, %y: f64, %p: !tile.ptr<f32>, %q: !tile.ptr<f64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.fdiv %arg0, %arg0 : f32
  %0 = arith.divf %x, %x : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.full"
  %1 = arith.divf %x, %0 fastmath<arcp> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.div.approx.ftz.f"
  %3 = arith.divf %x, %1 fastmath<arcp,afn> : f32
  tile.store %p, %3 : !tile.ptr<f32>
  // CHECK: llvm.fdiv %arg1, %arg1 {{.*}}: f64
  %2 = arith.divf %y, %y fastmath<arcp> : f64
  tile.store %q, %2 : !tile.ptr<f64>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

// With wgmma the whole division is expanded inline: a call would serialise the
// wgmmas.
// CHECK-LABEL: llvm.func @with_wgmma
// CHECK-NOT: llvm.fdiv
// CHECK: llvm.inline_asm "{ .reg .pred p, s; {{.*}}rcp.approx.f32{{.*}}rcp.approx.ftz.f64{{.*}}"
tile.func @with_wgmma(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %q, %d : tensor<64x16x!tile.ptr<f32>, #c>
  %0 = arith.divf %x, %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#n = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#t = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!left = !warp.shared<64x32xf16, #a>
!rows = !warp.shared<16x32xf16, #n>
!right = !warp.shared<32x16xf16, #t>
!ring = !warp.ring<2 x {!left, !rows, !rows}, async_groups>
!tile = tensor<64x16xf32, #c>

// All dots are merged into one wgmma, which a call would serialise too.
// CHECK-LABEL: llvm.func @merged
// CHECK-NOT: llvm.fdiv
// CHECK: rcp.approx.ftz.f64
tile.func @merged(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %cs = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %cs : tensor<64x16x!tile.ptr<f32>, #c>
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %zero = arith.constant 0 : i32
  %slot, %l, %m, %n = warp.ring.wait %ring[%zero] pending 0 : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !rows -> !right
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !rows -> !right
  %s:2 = warp.wgmma %l, [%b, %d], [%c, %c] : !left, [!right, !right], [!tile, !tile]
  %r:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : !tile, !tile
  warp.ring.release %slot
  tile.store %cs, %r#0 : tensor<64x16x!tile.ptr<f32>, #c>
  %0 = arith.divf %x, %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  tile.return
}
