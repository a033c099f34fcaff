// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-layout-assignment))' -verify-diagnostics -o /dev/null

// A contiguous load takes vectors of 16 bytes, and the elementwise op and the store follow it.
tile.func @copy(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %i = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %to = tile.addptr %qs, %i : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  // expected-remark@below {{anchored: #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>}}
  %x = tile.load %from : tensor<512x!tile.ptr<f32>>
  %y = math.exp %x : tensor<512xf32>
  // expected-remark@below {{stored: #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]], block = []}>}}
  tile.store %to, %y : tensor<512x!tile.ptr<f32>>
  tile.return
}

// Unaligned elements are loaded one by one, neighbours by neighbouring threads.
tile.func @unaligned(%p: !tile.ptr<f32>) {
  %i = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %from = tile.addptr %ps, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  // expected-remark@below {{anchored: #warp.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>}}
  %x = tile.load %from : tensor<256x!tile.ptr<f32>>
  // expected-remark@below {{loaded: #warp.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]], block = []}>}}
  tile.print "loaded: ", %x {isSigned = array<i1: true>} : tensor<256xf32>
  tile.return
}

// The accumulator has the layout of mma. The row sums follow from it.
tile.func @dot(%a: tensor<64x32xf16>, %b: tensor<32x64xf16>) {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %s = tile.dot %a, %b, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  // expected-remark@below {{accumulator: #warp.linear<{register = [[0, 1], [8, 0], [0, 16], [0, 32], [32, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [16, 0]], block = []}>}}
  tile.print "accumulator: ", %s {isSigned = array<i1: true>} : tensor<64x64xf32>
  %rows = "tile.reduce"(%s) <{axis = 1 : i32}> ({
  ^bb0(%x: f32, %y: f32):
    %c = arith.addf %x, %y : f32
    tile.yield %c : f32
  }) : (tensor<64x64xf32>) -> tensor<64xf32>
  // expected-remark@below {{sums: #warp.linear<{register = [[8], [32]], lane = [[0], [0], [1], [2], [4]], warp = [[0], [16]], block = []}>}}
  tile.print "sums: ", %rows {isSigned = array<i1: true>} : tensor<64xf32>
  tile.return
}

// The store needs vectors along the other dimension than the load: the tile is converted.
tile.func @transposed(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) {
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %c64 = arith.constant dense<64> : tensor<64x64xi32>
  %i64 = arith.muli %i, %c64 : tensor<64x64xi32>
  %j64 = arith.muli %j, %c64 : tensor<64x64xi32>
  %ij = arith.addi %i64, %j : tensor<64x64xi32>
  %ji = arith.addi %j64, %i : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %from = tile.addptr %ps, %ij : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %to = tile.addptr %qs, %ji : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  // expected-remark@below {{anchored: #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}>}}
  %x = tile.load %from : tensor<64x64x!tile.ptr<f32>>
  // expected-remark@below {{stored: #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [16, 0], [32, 0]], lane = [[0, 4], [0, 8], [0, 16], [0, 32], [1, 0]], warp = [[2, 0], [4, 0]], block = []}>}}
  // expected-remark@below {{converted to #warp.linear<{register = [[1, 0], [2, 0], [0, 8], [0, 16], [0, 32]], lane = [[4, 0], [8, 0], [16, 0], [32, 0], [0, 1]], warp = [[0, 2], [0, 4]], block = []}>}}
  tile.store %to, %x : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
