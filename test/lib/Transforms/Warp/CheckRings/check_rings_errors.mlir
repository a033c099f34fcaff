// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// Each rule for rings and slots. check_rings_held_errors.mlir tests held slots,
// check_rings_dots_errors.mlir wgmma and fences.

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// In order: the second slot before the first.
tile.func @out_of_order() {
  %ring = warp.ring : !ring
  %a, %x = warp.ring.wait %ring : !ring
  %b, %y = warp.ring.wait %ring : !ring
  // expected-error @+1 {{rule 'in order' is broken: a slot that was waited for earlier is not released yet}}
  warp.ring.release %b
  warp.ring.release %a
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, async_groups>

// In order: the index wraps around too late, in the fourth iteration.
tile.func @index(%n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %ring = warp.ring : !ring
  scf.for %i = %c0 to %n step %c1 iter_args(%at = %c0) -> i32 : i32 {
    // expected-error @+1 {{rule 'in order' is broken: takes slot 3, but slot 0 is next}}
    %slot, %tile = warp.ring.acquire %ring[%at] : !ring
    warp.ring.commit %slot
    %full, %x = warp.ring.wait %ring[%at] pending 0 : !ring
    warp.ring.release %full
    %next = arith.addi %at, %c1 : i32
    %wraps = arith.cmpi eq, %next, %c4 : i32
    %new = arith.select %wraps, %c0, %next : i32
    scf.yield %new : i32
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, async_groups>

// Provable: an index from outside of the function.
tile.func @unknown_index(%i: i32) {
  %ring = warp.ring : !ring
  // expected-error @+1 {{rule 'provable' is broken: the index of its slot is not known, 0 is expected}}
  %slot, %tile = warp.ring.acquire %ring[%i] : !ring
  warp.ring.commit %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile, !tile}, transactions>

// Filled once: one of two tiles is missing.
tile.func @not_filled(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  %slot, %x, %y = warp.ring.acquire %ring : !ring
  warp.tma_load %map[%i, %i], %x : !warp.tensor_map, !tile
  // expected-error @+1 {{rule 'filled once' is broken: tile 1 of the slot is not filled, so its consumers would wait forever}}
  warp.ring.commit %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Filled once: a tile is filled twice.
tile.func @filled_twice(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  %slot, %x = warp.ring.acquire %ring : !ring
  warp.tma_load %map[%i, %i], %x : !warp.tensor_map, !tile
  // expected-error @+1 {{rule 'filled once' is broken: the tile is filled already}}
  warp.tma_load %map[%i, %i], %x : !warp.tensor_map, !tile
  warp.ring.commit %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Slot comes: a role that holds all slots waits for one more.
tile.func @all_held() {
  %ring = warp.ring : !ring
  %a, %x = warp.ring.wait %ring : !ring
  %b, %y = warp.ring.wait %ring : !ring
  // expected-error @+1 {{rule 'slot comes' is broken: holds all 2 slots of the ring already}}
  %c, %z = warp.ring.wait %ring : !ring
  warp.ring.release %a
  warp.ring.release %b
  warp.ring.release %c
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, async_groups>

// Slot comes: threads that fill the ring themselves read before they fill.
tile.func @nothing_filled() {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  // expected-error @+1 {{rule 'slot comes' is broken: waits for a slot that has not been filled}}
  %full, %x = warp.ring.wait %ring[%c0] pending 0 : !ring
  warp.ring.release %full
  %slot, %tile = warp.ring.acquire %ring[%c0] : !ring
  warp.ring.commit %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, async_groups>

// Slot comes: the third slot is the first one, which has not been read.
tile.func @all_filled() {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  %a, %x = warp.ring.acquire %ring[%c0] : !ring
  warp.ring.commit %a
  %b, %y = warp.ring.acquire %ring[%c1] : !ring
  warp.ring.commit %b
  // expected-error @+1 {{rule 'slot comes' is broken: all 2 slots of the ring are in use, and only this role can release one}}
  %c, %z = warp.ring.acquire %ring[%c0] : !ring
  warp.ring.commit %c
  %full, %read = warp.ring.wait %ring[%c0] pending 0 : !ring
  warp.ring.release %full
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, async_groups>

// Copies arrived: the pending group may be that of the slot.
tile.func @pending(%p: tensor<16x8x!tile.ptr<f16>, #rows>) {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %tile vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %slot
  // expected-error @+1 {{rule 'copies arrived' is broken: the copies to the slot may be among the 1 groups that are not waited for}}
  %full, %x = warp.ring.wait %ring[%c0] pending 1 : !ring
  warp.ring.release %full
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, async_groups>

// Copies arrived: they may write after the memory is reused.
tile.func @never_waited_for(%p: tensor<16x8x!tile.ptr<f16>, #rows>) {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %tile vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %slot
  // expected-error @+1 {{rule 'copies arrived' is broken: ends before a wait for its copies}}
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Copies arrived: the barrier of such a ring counts bytes of other copies.
tile.func @wrong_copy(%p: tensor<16x8x!tile.ptr<f16>, #rows>) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error @+1 {{rule 'copies arrived' is broken: the ring is not told when such a copy is complete}}
  warp.async_copy %p, %tile vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %slot
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>

// Memory intact: two tiles at one offset.
tile.func @one_offset(%x: tensor<16x8xf16, #rows>, %y: tensor<16x8xf16, #rows>) -> tensor<16x8xf16, #rows> {
  %a = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  warp.barrier
  // expected-note @+1 {{by this}}
  %b = warp.alloc %y {warp.shared_offset = 64 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  warp.barrier
  // expected-error @+1 {{rule 'memory intact' is broken: reads memory that has been overwritten}}
  %z = warp.local_load %a : !tile -> tensor<16x8xf16, #rows>
  tile.return %z : tensor<16x8xf16, #rows>
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Memory intact: a tile at the offset of a slot.
tile.func @offset_of_slot(%x: tensor<16x8xf16, #rows>) {
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  // expected-error @+1 {{rule 'memory intact' is broken: writes memory of a slot that is held}}
  %a = warp.alloc %x {warp.shared_offset = 128 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  warp.ring.release %slot
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Provable: a slot from outside of the function.
tile.func @unknown_slot(%ring: !ring) {
  // expected-error @+1 {{rule 'provable' is broken: its ring is not the result of a visible warp.ring}}
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile, !tile}, async_groups>

// Filled once: the second tile has no copy.
tile.func @not_copied(%p: tensor<16x8x!tile.ptr<f16>, #rows>) -> tensor<16x8xf16, #rows> {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  %slot, %a, %b = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %a vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %slot
  %full, %x, %y = warp.ring.wait %ring[%c0] pending 0 : !ring
  // expected-error @+1 {{rule 'filled once' is broken: reads a tile that nothing was copied to}}
  %z = warp.local_load %y : !tile -> tensor<16x8xf16, #rows>
  warp.ring.release %full
  tile.return %z : tensor<16x8xf16, #rows>
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, async_groups>

// Memory intact: the copies may be pending.
tile.func @under_copies(%p: tensor<16x8x!tile.ptr<f16>, #rows>, %x: tensor<16x8xf16, #rows>) {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %slot, %tile = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %tile vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %slot
  // expected-error @+1 {{rule 'memory intact' is broken: writes memory that pending copies write}}
  %a = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  %full, %y = warp.ring.wait %ring[%c0] pending 0 : !ring
  warp.ring.release %full
  tile.return
}
