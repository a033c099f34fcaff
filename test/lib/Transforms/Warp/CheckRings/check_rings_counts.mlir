// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings -o /dev/null

// Loops with a known trip count. Two slots are filled before the loop, and each
// iteration waits for one.

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, async_groups>

// The second iteration waits for the second slot, so the memory is free.
tile.func @as_many_iterations_as_copies(%p: tensor<16x8x!tile.ptr<f16>, #rows>, %x: tensor<16x8xf16, #rows>, %more: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %s0, %t0 = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %t0 vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %s0
  %s1, %t1 = warp.ring.acquire %ring[%c1] : !ring
  warp.async_copy %p, %t1 vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %s1
  %end:2 = scf.for %i = %c0 to %c2 step %c1 iter_args(%use = %c0, %fill = %c2) -> (i32, i32) : i32 {
    %full, %y = warp.ring.wait %ring[%use] pending 1 : !ring
    warp.barrier
    %empty, %z = warp.ring.acquire %ring[%fill] : !ring
    warp.async_copy %p, %z if %more vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
    warp.ring.commit %empty
    warp.ring.release %full
    %u1 = arith.addi %use, %c1 : i32
    %u = arith.remui %u1, %c3 : i32
    scf.yield %u, %use : i32, i32
  }
  warp.barrier
  %a = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, async_groups>

// Memory intact: after one iteration the copies of the second slot are pending.
tile.func @fewer_iterations_than_copies(%p: tensor<16x8x!tile.ptr<f16>, #rows>, %x: tensor<16x8xf16, #rows>, %more: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %s0, %t0 = warp.ring.acquire %ring[%c0] : !ring
  warp.async_copy %p, %t0 vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %s0
  %s1, %t1 = warp.ring.acquire %ring[%c1] : !ring
  warp.async_copy %p, %t1 vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
  warp.ring.commit %s1
  %end:2 = scf.for %i = %c0 to %c1 step %c1 iter_args(%use = %c0, %fill = %c2) -> (i32, i32) : i32 {
    %full, %y = warp.ring.wait %ring[%use] pending 1 : !ring
    warp.barrier
    %empty, %z = warp.ring.acquire %ring[%fill] : !ring
    warp.async_copy %p, %z if %more vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
    warp.ring.commit %empty
    warp.ring.release %full
    %u1 = arith.addi %use, %c1 : i32
    %u = arith.remui %u1, %c3 : i32
    scf.yield %u, %use : i32, i32
  }
  warp.barrier
  // expected-error @+1 {{rule 'memory intact' is broken: writes memory that pending copies write}}
  %a = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x8xf16, #rows>) -> !tile
  tile.return
}
