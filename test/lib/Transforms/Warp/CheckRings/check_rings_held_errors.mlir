// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// The rule for held slots; check_rings_errors.mlir tests the others for rings.

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: read after the release.
tile.func @read_after_release() -> tensor<16x8xf16, #rows> {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot
  // expected-error @+1 {{rule 'held slot' is broken: reads a slot that has been released}}
  %x = warp.local_load %tile : !tile -> tensor<16x8xf16, #rows>
  tile.return %x : tensor<16x8xf16, #rows>
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: filled after the commit.
tile.func @fill_after_commit(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
  warp.ring.commit %slot
  // expected-error @+1 {{rule 'held slot' is broken: fills a slot that has been committed}}
  warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: read while the copies are pending.
tile.func @read_while_filling(%map: !warp.tensor_map, %i: i32) -> tensor<16x8xf16, #rows> {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
  // expected-error @+1 {{rule 'held slot' is broken: reads a slot that is held for filling}}
  %x = warp.local_load %tile : !tile -> tensor<16x8xf16, #rows>
  warp.ring.commit %slot
  tile.return %x : tensor<16x8xf16, #rows>
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: threads do not write to slots.
tile.func @store_to_slot(%x: tensor<16x8xf16, #rows>) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  // expected-error @+1 {{rule 'held slot' is broken: threads write to shared memory that is not a warp.alloc}}
  warp.local_store %x, %tile : tensor<16x8xf16, #rows> -> !tile
  warp.ring.release %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: the release in the branch covers one path only.
tile.func @released_on_one_path(%c: i1) {
  // expected-note @+1 {{of this ring}}
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  scf.if %c {
    warp.ring.release %slot
  }
  // expected-error @+1 {{rule 'held slot' is broken: ends while a slot is held}}
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: the loop releases it in each iteration.
tile.func @released_again() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  scf.for %i = %c0 to %c1 step %c1 : i32 {
    // expected-error @+1 {{rule 'held slot' is broken: its slot has been released already}}
    warp.ring.release %slot
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: the loop may not run at all, and then holds nothing.
tile.func @nothing_held(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  %none = warp.ring.no_slot
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%held = %none) -> !warp.slot : i32 {
    %notFirst = arith.cmpi ne, %i, %c0 : i32
    warp.ring.release %held if %notFirst
    %slot, %tile = warp.ring.wait %ring : !ring
    scf.yield %slot : !warp.slot
  }
  // expected-error @+1 {{rule 'held slot' is broken: no slot is held here}}
  warp.ring.release %last
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Held slot: the condition holds in the first iteration, not in the others.
tile.func @wrong_condition(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  %first, %t = warp.ring.wait %ring : !ring
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%held = %first) -> !warp.slot : i32 {
    %isFirst = arith.cmpi eq, %i, %c0 : i32
    // expected-error @+1 {{rule 'held slot' is broken: a slot is held, but the condition is false}}
    warp.ring.release %held if %isFirst
    %slot, %tile = warp.ring.wait %ring : !ring
    scf.yield %slot : !warp.slot
  }
  warp.ring.release %last
  tile.return
}
