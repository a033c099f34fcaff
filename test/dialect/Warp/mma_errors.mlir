// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
tile.func @shapes(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x8xf32, #c>) {
  // C1
  // expected-error@+1 {{multiplies MxK by KxN onto MxN, got}}
  %d = warp.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xf16, #b>, tensor<32x8xf32, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>
tile.func @types(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xbf16, #b>, %c: tensor<32x16xf32, #a>) {
  // C2
  // expected-error@+1 {{has no tensor-core instruction for 'f16', 'bf16' and 'f32'}}
  %d = warp.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xbf16, #b>, tensor<32x16xf32, #a>
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
tile.func @fragments(%a: tensor<32x16xf16, #rows>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) {
  // C3: registers 1 and 2 of A are swapped
  // expected-error@+1 {{has layouts that no tensor-core instruction takes}}
  %d = warp.mma %a, %b, %c : tensor<32x16xf16, #rows>, tensor<16x16xf16, #b>, tensor<32x16xf32, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 8]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
tile.func @warps(%a: tensor<32x16xf16, #a>, %b: tensor<16x16xf16, #b>, %c: tensor<32x16xf32, #c>) {
  // C3: each warp needs all columns of B but holds half of them
  // expected-error@+1 {{has layouts that no tensor-core instruction takes}}
  %d = warp.mma %a, %b, %c : tensor<32x16xf16, #a>, tensor<16x16xf16, #b>, tensor<32x16xf32, #c>
  tile.return
}

// -----

tile.func @no_layout(%a: tensor<32x16xf16>, %b: tensor<16x16xf16>, %c: tensor<32x16xf32>) {
  // C3
  // expected-error@+1 {{has layouts that no tensor-core instruction takes}}
  %d = warp.mma %a, %b, %c : tensor<32x16xf16>, tensor<16x16xf16>, tensor<32x16xf32>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 0, 1], [0, 8, 0], [0, 0, 8]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>
#b = #warp.linear<{register = [[0, 1, 0], [0, 8, 0], [1, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[0, 0, 0]]}>
#c = #warp.linear<{register = [[0, 0, 1], [0, 8, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>
tile.func @batch(%a: tensor<2x16x16xf16, #a>, %b: tensor<2x16x8xf16, #b>, %c: tensor<2x16x8xf32, #c>) {
  // C3: in B, dot 1 is in other registers, not in the other warp
  // expected-error@+1 {{has layouts that no tensor-core instruction takes}}
  %d = warp.mma %a, %b, %c : tensor<2x16x16xf16, #a>, tensor<2x16x8xf16, #b>, tensor<2x16x8xf32, #c>
  tile.return
}
