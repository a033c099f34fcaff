// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
tile.func @shapes(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x8xf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C2
  // expected-error@+1 {{multiplies MxK by KxN onto MxN, got}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x8xf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @types(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xbf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C3
  // expected-error@+1 {{has no tensor-core instruction for 'f16', 'bf16' and 'f32'}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xbf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [16, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @rows(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C4: two warps next to each other along N
  // expected-error@+1 {{has a tile in registers that no wgmma takes: 'tensor<64x16xf32}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{register = [[0, 1], [0, 8], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @fragments(%a: tensor<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C4: registers 1 and 2 of A are swapped
  // expected-error@+1 {{has a tile in registers that no wgmma takes: 'tensor<64x16xf16}}
  %s = warp.wgmma %a, %b, %c : tensor<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>
tile.func @plain(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C5: rows one after the other without a swizzle
  // expected-error@+1 {{has shared memory that no matrix descriptor expresses: '!warp.shared<16x16xf16}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
tile.func @across(%a: !warp.shared<64x32xi8, #a>, %b: !warp.shared<32x16xi8, #b>, %c: tensor<64x16xi32, #c>) {
  // C5: bytes must lie along the contracted dimension
  // expected-error@+1 {{has shared memory that no matrix descriptor expresses: '!warp.shared<32x16xi8}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xi8, #a>, !warp.shared<32x16xi8, #b>, tensor<64x16xi32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
tile.func @pendings(%c: tensor<64x16xf32, #c>) {
  // C1
  // expected-error@+1 {{attribute 'pendings' failed to satisfy constraint}}
  %s = "warp.wgmma_wait"(%c) {pendings = -1 : i32} : (tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c>
  tile.return
}

// -----

tile.func @nothing() {
  // C2
  // expected-error@+1 {{needs an accumulator to wait for}}
  "warp.wgmma_wait"() {pendings = 0 : i32} : () -> ()
  tile.return
}

// -----

#b = #warp.linear<{offset = [[1, 0], [2, 0], [0, 1], [0, 2]]}>
#t = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0]]}>
tile.func @order(%b: !warp.shared<4x4xf16, #b>) {
  // C1
  // expected-error@+2 {{needs an order of 2 dimensions, got [0, 0]}}
  // expected-error@+1 {{failed to infer returned types}}
  %t = warp.shared_transpose %b {order = array<i32: 0, 0>} : !warp.shared<4x4xf16, #b> -> !warp.shared<4x4xf16, #t>
  tile.return
}

// -----

#b = #warp.linear<{offset = [[1, 0], [2, 0], [0, 1], [0, 2]]}>
tile.func @other_layout(%b: !warp.shared<4x4xf16, #b>) {
  // C2
  // expected-error@+2 {{are incompatible with return type(s) of operation '!warp.shared<4x4xf16}}
  // expected-error@+1 {{failed to infer returned types}}
  %t = warp.shared_transpose %b {order = array<i32: 1, 0>} : !warp.shared<4x4xf16, #b> -> !warp.shared<4x4xf16, #b>
  tile.return
}

// -----

#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @layouts(%a: tensor<64x16xf16>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32>) attributes {warp.num_warps = 4 : i32} {
  // C4: where tiles have layouts
  // expected-error@+1 {{needs tiles with a #warp.linear layout}}
  %s = warp.wgmma %a, %b, %c : tensor<64x16xf16>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @uneven(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C1: a B without an accumulator
  // expected-error@+1 {{needs as many B operands as accumulators, at least one, got 2 and 1}}
  %s = warp.wgmma %a, [%b, %b], %c : !warp.shared<64x16xf16, #a>, [!warp.shared<16x16xf16, #b>, !warp.shared<16x16xf16, #b>], tensor<64x16xf32, #c>
  tile.return
}

// -----

#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
tile.func @no_dots(%a: !warp.shared<64x16xf16, #a>) {
  // C1
  // expected-error@+1 {{needs as many B operands as accumulators, at least one, got 0 and 0}}
  "warp.wgmma"(%a) {operandSegmentSizes = array<i32: 1, 0, 0>} : (!warp.shared<64x16xf16, #a>) -> ()
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @types_of_second(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x16xf16, #b>, %d: !warp.shared<16x16xbf16, #b>, %c: tensor<64x16xf32, #c>) {
  // C3
  // expected-error@+1 {{has no tensor-core instruction for 'f16', 'bf16' and 'f32'}}
  %s:2 = warp.wgmma %a, [%b, %d], [%c, %c] : !warp.shared<64x16xf16, #a>, [!warp.shared<16x16xf16, #b>, !warp.shared<16x16xbf16, #b>], [tensor<64x16xf32, #c>, tensor<64x16xf32, #c>]
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8]]}>
tile.func @different_types(%a: !warp.shared<64x32xf8E5M2, #a>, %b: !warp.shared<32x16xf8E5M2, #b>, %d: !warp.shared<32x16xf8E4M3FN, #b>, %c: tensor<64x16xf32, #c>) {
  // C3: each dot has an instruction, but not the same one
  // expected-error@+1 {{needs the same element types in all dots, got 'f8E4M3FN' onto 'f32' after 'f8E5M2' onto 'f32'}}
  %s:2 = warp.wgmma %a, [%b, %d], [%c, %c] : !warp.shared<64x32xf8E5M2, #a>, [!warp.shared<32x16xf8E5M2, #b>, !warp.shared<32x16xf8E4M3FN, #b>], [tensor<64x16xf32, #c>, tensor<64x16xf32, #c>]
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}>
tile.func @columns(%a: !warp.shared<64x16xf16, #a>, %b: !warp.shared<16x128xf16, #b>, %c: tensor<64x128xf32, #c>) {
  // C6
  // expected-error@+1 {{computes at most 256 columns of several dots, got 384}}
  %s:3 = warp.wgmma %a, [%b, %b, %b], [%c, %c, %c] : !warp.shared<64x16xf16, #a>, [!warp.shared<16x128xf16, #b>, !warp.shared<16x128xf16, #b>, !warp.shared<16x128xf16, #b>], [tensor<64x128xf32, #c>, tensor<64x128xf32, #c>, tensor<64x128xf32, #c>]
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
tile.func @keep(%c: tensor<64x16xf32, #c>) {
  // C1 of warp.acc_store
  // expected-error@+1 {{moves a tile between ordinary and pinned registers, got 'tensor<64x16xf32}}
  %k = warp.acc_store %c : tensor<64x16xf32, #c> -> tensor<64x16xf32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
tile.func @recall(%c: tensor<64x16xf32, #warp.pinned<0, #c>>) {
  // C1 of warp.acc_load
  // expected-error@+1 {{moves a tile between ordinary and pinned registers, got 'tensor<64x16xf32}}
  %t = warp.acc_load %c : tensor<64x16xf32, #warp.pinned<0, #c>> -> tensor<64x16xi32, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
tile.func @scale(%c: tensor<64x16xf32, #warp.pinned<0, #c>>) {
  // C1 of warp.scale
  // expected-error@+1 {{scales a tile in pinned registers by one in ordinary registers, got 'tensor<64x16xf32}}
  %t = warp.scale %c, %c : tensor<64x16xf32, #warp.pinned<0, #c>>, tensor<64x16xf32, #warp.pinned<0, #c>>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
tile.func @scale_f16(%c: tensor<64x16xf16, #warp.pinned<0, #c>>, %f: tensor<64x16xf16, #c>) {
  // C2 of warp.scale
  // expected-error@+1 {{scales f32, got 'tensor<64x16xf16}}
  %t = warp.scale %c, %f : tensor<64x16xf16, #warp.pinned<0, #c>>, tensor<64x16xf16, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
// expected-error@+1 {{there are 8 banks of pinned registers, got number 8}}
tile.func @bank(%c: tensor<64x16xf32, #warp.pinned<8, #c>>) {
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
// expected-error@+1 {{layout reaches 16 elements along dimension 1 of size 32}}
tile.func @shape(%c: tensor<64x32xf32, #warp.pinned<0, #c>>) {
  tile.return
}
