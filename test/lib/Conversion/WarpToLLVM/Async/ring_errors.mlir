// RUN: tilewright-opt %s -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   -split-input-file -verify-diagnostics

#columns = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<16x16xf16, #columns>}, transactions>

tile.func @no_roles() attributes {tile.kernel, warp.num_warps = 4 : i32} {
  // expected-error@+2 {{of transactions is waited for outside of roles}}
  // expected-error@+1 {{failed to legalize operation 'warp.ring'}}
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot
  tile.return
}

// -----

#columns = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<16x16xf16, #columns>}, transactions>
!copies = !warp.ring<2 x {!warp.shared<16x16xf16, #columns>}, async_groups>

// One of the rings needs an arrival at a barrier, and the other has no
// barriers.
tile.func @either(%c: i1, %i: i32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %copies = warp.ring {warp.shared_offset = 2048 : i32} : !copies
  %slot = scf.if %c -> (!warp.slot) {
    %a, %tile = warp.ring.wait %ring : !ring
    scf.yield %a : !warp.slot
  } else {
    %b, %tile = warp.ring.wait %copies[%i] pending 0 : !copies
    scf.yield %b : !warp.slot
  }
  // expected-error@+1 {{releases a slot that may belong to a ring of transactions or to one of async_groups}}
  warp.ring.release %slot
  tile.return
}
