// RUN: tilewright-opt %s -warp-allocate-shared -warp-check-barriers -split-input-file -verify-diagnostics

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A read right after a write.
tile.func @straight(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{no barrier separates it from this access}}
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  // expected-error @+1 {{accesses shared memory that another warp may be using}}
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// The back edge of the loop has no barrier.
tile.func @loop(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{accesses shared memory that another warp may be using}}
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
    warp.barrier
    // expected-note @+1 {{no barrier separates it from this access}}
    %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A barrier on one path only.
tile.func @branch(%x: tensor<16x4xf16, #rows>, %c: i1) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{no barrier separates it from this access}}
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  scf.if %c {
    warp.barrier
  }
  // expected-error @+1 {{accesses shared memory that another warp may be using}}
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A slot that was read is refilled after its release, here on one path. Before the release another slot is filled.
tile.func @released(%p: tensor<16x4x!tile.ptr<f16>, #rows>, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %true = arith.constant true
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  %full, %from = warp.ring.wait %ring[%c0] pending 0 : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  warp.barrier
  // expected-note @+1 {{no barrier separates it from this access}}
  %y = warp.local_load %from : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  %second, %b = warp.ring.acquire %ring[%c1] : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  warp.async_copy %p, %b if %true vector 2 : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>
  warp.ring.commit %second
  scf.if %c {
    warp.barrier
  }
  warp.ring.release %full
  %first, %a = warp.ring.acquire %ring[%c0] : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  // expected-error @+1 {{accesses shared memory that another warp may be using}}
  warp.async_copy %p, %a if %true vector 2 : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>
  warp.ring.commit %first
  tile.return
}
