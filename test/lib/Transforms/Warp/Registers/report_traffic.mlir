// RUN: tilewright-opt %s -split-input-file -warp-report-traffic -remark-format=emitRemark -remarks-filter=.* \
// RUN:   -verify-diagnostics -o /dev/null

// The bytes that a thread accesses at once, and those that it could.

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
tile.func @widths(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32>, %one: tensor<128x!tile.ptr<f32>, #row>) {
  %i = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #row>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #row>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>, #row>
  %pi = tile.addptr %ps, %i : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
  %qi = tile.addptr %qs, %i : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
  // expected-remark@+1 {{[Analysis] Access | Category:warp-report-traffic | Bytes=16, Remark="loads 16 bytes at a time"}}
  %x = tile.load %pi : tensor<128x!tile.ptr<f32>, #row>
  // expected-remark@+1 {{stores 4 bytes at a time, not 16: more addresses are not known to be consecutive}}
  tile.store %qi, %x : tensor<128x!tile.ptr<f32>, #row>
  // A pointer alone is no tile.
  %s = tile.load %p : !tile.ptr<f32>
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[0]]}>
#across = #warp.linear<{register = [[32], [64]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
#back = #warp.linear<{register = [[2], [1]], lane = [[4], [8], [16], [32], [64]], warp = [[0]]}>
#spread = #warp.linear<{register = [[1]], lane = [[4], [8], [16], [32], [64]], warp = [[2]]}>
#other = #warp.linear<{register = [[2]], lane = [[4], [8], [16], [32], [64]], warp = [[1]]}>
tile.func @conversions(%x: tensor<128xf32, #row>, %y: tensor<128xf32, #spread>) attributes {warp.num_warps = 2 : i32} {
  // Permuting the registers of one thread is free.
  %a = warp.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #back>
  // expected-remark@+1 {{a tile of 128 elements changes its layout by shuffles}}
  %b = warp.convert_layout %x : tensor<128xf32, #row> -> tensor<128xf32, #across>
  // expected-remark@+1 {{a tile of 128 elements changes its layout through 512 bytes of shared memory}}
  %c = warp.convert_layout %y : tensor<128xf32, #spread> -> tensor<128xf32, #other>
  tile.return
}

// -----

// The loads of an iteration, without inner loops.
tile.func @loops(%p: tensor<64x32x!tile.ptr<f16>, #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}>>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{Remark="an iteration loads 4096 bytes"}}
    scf.for %j = %c0 to %n step %c1 : i32 {
      // expected-remark@+1 {{loads 2 bytes at a time, not 16}}
      %x = tile.load %p volatile : tensor<64x32x!tile.ptr<f16>, #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}>>
    }
  }
  tile.return
}
