// RUN: tilewright-opt %s -warp-check-barriers -split-input-file -verify-diagnostics

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Two allocations share 64 bytes.
tile.func @overlapping(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc {warp.shared_offset = 64 : i32} : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{no barrier separates it from this access}}
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  // expected-error @+1 {{accesses shared memory that another warp may be using}}
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A write after a read; the barrier before the read does not order it.
tile.func @written_after_read(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.barrier
  // expected-note @+1 {{no barrier separates it from this access}}
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  // expected-error @+1 {{accesses shared memory that another warp may be using}}
  warp.local_store %y, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Adjacent tiles, and a write that a barrier orders, are accepted.
tile.func @ordered(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc {warp.shared_offset = 128 : i32} : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  warp.barrier
  warp.local_store %y, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %z = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}
