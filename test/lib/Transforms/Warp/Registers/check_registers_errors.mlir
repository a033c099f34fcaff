// RUN: tilewright-opt %s -split-input-file -warp-check-registers="most=100 refuse" -verify-diagnostics

// The limit that the kernel requests.

#tile = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]}>
tile.func @requested(%x: tensor<128x128xf32, #tile>, %n: i32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@+1 {{the tiles that this loop carries take 128 registers per thread, which has 100; use smaller tiles or more warps}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<128x128xf32, #tile> : i32 {
    %next = arith.addf %acc, %x : tensor<128x128xf32, #tile>
    scf.yield %next : tensor<128x128xf32, #tile>
  }
  tile.return
}

// -----

// A role with its own register count.

#tile = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]}>
tile.func @roles(%x: f32, %n: i32) attributes {warp.num_warps = 4 : i32, warp.block_warps = 8 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  warp.specialize warps [4, 4] registers [152, 120] {
    %t = tile.splat %x : f32 -> tensor<128x128xf32, #tile>
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x128xf32, #tile> : i32 {
      %next = arith.addf %acc, %t : tensor<128x128xf32, #tile>
      scf.yield %next : tensor<128x128xf32, #tile>
    }
  }, {
    %t = tile.splat %x : f32 -> tensor<128x128xf32, #tile>
    // expected-error@+1 {{take 128 registers per thread, which has 120}}
    %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %t) -> tensor<128x128xf32, #tile> : i32 {
      %next = arith.addf %acc, %t : tensor<128x128xf32, #tile>
      scf.yield %next : tensor<128x128xf32, #tile>
    }
  }
  tile.return
}
