// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// The rules for wgmma and fences.

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>
!ring = !warp.ring<2 x {!a, !b}, transactions>

// Wgmma done: a slot is released while a wgmma reads it.
tile.func @release_during_wgmma(%zero: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %ring = warp.ring : !ring
  %slot, %a, %b = warp.ring.wait %ring : !ring
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  // expected-error @+1 {{rule 'wgmma done' is broken: a pending wgmma reads tile 0 of the slot}}
  warp.ring.release %slot
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return %d : tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>
!ring = !warp.ring<4 x {!a, !b}, transactions>

// Wgmma done: the pending wgmma reads the slot of this iteration, not that of the
// previous one.
tile.func @late_wait(%zero: tensor<64x16xf32, #c>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  %accumulator = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %s = warp.wgmma %a, %b, %acc : !a, !b, tensor<64x16xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 1 : i32} : tensor<64x16xf32, #c>
    // expected-error @+1 {{rule 'wgmma done' is broken: a pending wgmma reads tile 0 of the slot}}
    warp.ring.release %slot
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>

// Wgmma done: an operand is written while a wgmma reads it.
tile.func @store_during_wgmma(%x: tensor<64x32xf16, #rows>, %zero: tensor<64x16xf32, #c>) {
  %a = warp.alloc : !a
  %b = warp.alloc : !b
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  warp.barrier
  // expected-error @+1 {{rule 'wgmma done' is broken: writes memory that a pending wgmma reads}}
  warp.local_store %x, %a : tensor<64x32xf16, #rows> -> !a
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>

// Wgmma done: one path has no wait.
tile.func @not_waited_for(%zero: tensor<64x16xf32, #c>, %c: i1) {
  %a = warp.alloc : !a
  %b = warp.alloc : !b
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  scf.if %c {
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  }
  // expected-error @+1 {{rule 'wgmma done' is broken: ends before a wait for its wgmmas}}
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>

// Accumulators untouched: the wait leaves this wgmma pending.
tile.func @accumulator(%zero: tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c> {
  %a = warp.alloc : !a
  %b = warp.alloc : !b
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 1 : i32} : tensor<64x16xf32, #c>
  // expected-error @+1 {{rule 'accumulators untouched' is broken: uses the accumulator of a pending wgmma}}
  %e = arith.addf %d, %d : tensor<64x16xf32, #c>
  %last = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return %e : tensor<64x16xf32, #c>
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x4xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Fence before release: threads read the slot, a copy fills it next.
tile.func @fence_before_release() -> tensor<16x4xf16, #rows> {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.proxy_fence
  %x = warp.local_load %tile : !tile -> tensor<16x4xf16, #rows>
  // expected-error @+1 {{rule 'fence before release' is broken: threads have read tile 0 of the slot, and no warp.proxy_fence orders that before the next copy to it}}
  warp.ring.release %slot
  tile.return %x : tensor<16x4xf16, #rows>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>

// Fence before wgmma: a barrier alone makes stores visible to threads only.
tile.func @no_fence(%x: tensor<64x32xf16, #rows>, %zero: tensor<64x16xf32, #c>) {
  %b = warp.alloc : !b
  %a = warp.alloc %x : (tensor<64x32xf16, #rows>) -> !a
  warp.barrier
  // expected-error @+1 {{rule 'fence before wgmma' is broken: threads have written its operand, and no warp.proxy_fence makes that visible to the tensor cores}}
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#rb = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>
!ring = !warp.ring<2 x {!a, !b}, async_groups>

// Fence before wgmma: the barrier comes before the fence that follows the copies
// of each thread.
tile.func @no_barrier(%pa: tensor<64x32x!tile.ptr<f16>, #rows>, %pb: tensor<32x16x!tile.ptr<f16>, #rb>, %zero: tensor<64x16xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  %empty:3 = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %pa, %empty#1 vector 8 : tensor<64x32x!tile.ptr<f16>, #rows>, !a
  warp.async_copy %pb, %empty#2 vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
  warp.ring.commit %empty#0
  %slot, %a, %b = warp.ring.wait %ring[%c0] pending 0 : !ring
  warp.barrier
  warp.proxy_fence
  // expected-error @+1 {{rule 'fence before wgmma' is broken: no barrier separates the fence after the writes of threads from this wgmma}}
  %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  warp.ring.release %slot
  tile.return
}
