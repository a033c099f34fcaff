// RUN: tilewright-opt %s -warp-allocate-shared="limit=300 target=sm_00" -verify-diagnostics

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Three tiles at once are more than the limit.
// expected-error @+1 {{needs 384 bytes of shared memory, but a CTA of sm_00 has at most 300; use smaller tiles}}
tile.func @too_much(%x: tensor<16x4xf16, #rows>) {
  // expected-note @+1 {{128 bytes are needed here}}
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{128 bytes are needed here}}
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  // expected-note @+1 {{128 bytes are needed here}}
  %c = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %c : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  tile.return
}
