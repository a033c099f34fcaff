// RUN: tilewright-opt %s --convert-warp-to-llvm="compute-capability=90 arch-specific=true" -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics -o /dev/null

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

// Calls in a kernel with wgmma, including those that the assembler creates.
tile.func @with_wgmma(%x: f32, %y: f64, %p: !tile.ptr<f32>, %d: !tile.ptr<f64>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %cs = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %cs : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %t = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %cs, %t : tensor<64x16x!tile.ptr<f32>, #c>
  // expected-remark@+1 {{a call, which makes the assembler serialise every wgmma of the kernel}}
  %0 = math.sin %x : f32
  %1 = math.sqrt %0 : f32
  %2 = arith.divf %1, %x : f32
  tile.store %p, %2 : !tile.ptr<f32>
  // expected-remark@+1 {{a call, which makes the assembler serialise every wgmma of the kernel}}
  %3 = arith.divf %y, %y : f64
  // expected-remark@+1 {{a call, which makes the assembler serialise every wgmma of the kernel}}
  %4 = math.sqrt %3 : f64
  tile.store %d, %4 : !tile.ptr<f64>
  tile.return
}

// -----

// Without wgmma calls are not reported.
tile.func @alone(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %0 = math.sin %x : f32
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

// A wgmma of several dots.
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
  // expected-remark@+1 {{a call, which makes the assembler serialise every wgmma of the kernel}}
  %0 = math.sin %x : f32
  tile.store %p, %0 : !tile.ptr<f32>
  tile.return
}
