// RUN: tilewright-opt %s -warp-merge-wgmma \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics -o /dev/null

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
// B operands of 32 and 16 rows, which are read transposed.
#n32 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}>
#n16 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}>
#t32 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16]]}>
#t16 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!left = !warp.shared<64x16xf16, #a>
!m32 = !warp.shared<32x16xf16, #n32>
!m16 = !warp.shared<16x16xf16, #n16>
!b32 = !warp.shared<16x32xf16, #t32>
!b16 = !warp.shared<16x16xf16, #t16>
!wide = tensor<64x32xf32, #w>
!narrow = tensor<64x16xf32, #c>
!ring = !warp.ring<2 x {!left, !m32, !m16}, transactions>

// Adjacent tiles of one slot. The ops between the wgmmas have no effects.
tile.func @merged(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  // expected-remark@+1 {{computed by the same instructions as adjacent columns}}
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}
