// RUN: tilewright-opt %s -warp-allocate-shared -warp-check-barriers -split-input-file -verify-diagnostics

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A read right behind a write.
tile.func @straight(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{no barrier stands between this access and that one}}
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  // expected-error @+1 {{touches shared memory that another warp may be using}}
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// The way around the loop has no barrier.
tile.func @loop(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-error @+1 {{touches shared memory that another warp may be using}}
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
    warp.barrier
    // expected-note @+1 {{no barrier stands between this access and that one}}
    %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A barrier on one way only.
tile.func @branch(%x: tensor<16x4xf16, #rows>, %c: i1) {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{no barrier stands between this access and that one}}
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  scf.if %c {
    warp.barrier
  }
  // expected-error @+1 {{touches shared memory that another warp may be using}}
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}
