// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   -verify-diagnostics

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
                      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @staging(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x32xf32, #rows>
  %s = warp.alloc : !warp.shared<128xi8, #bytes>
  // expected-error@+2 {{needs a multiple of 4096 bytes to go through, got 128}}
  // expected-error@+1 {{failed to legalize}}
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<32x32xf32, #rows>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  tile.return
}
