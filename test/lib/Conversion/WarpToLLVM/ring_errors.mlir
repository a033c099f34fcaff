// RUN: tilewright-opt %s -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' -verify-diagnostics

#halves = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<16x16xf16, #halves>}, transactions>

tile.func @no_roles() attributes {tile.kernel, warp.num_warps = 4 : i32} {
  // expected-error@+2 {{of transactions is waited for outside of roles}}
  // expected-error@+1 {{failed to legalize operation 'warp.ring'}}
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot
  tile.return
}
