// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The attribute's text.

// expected-error@+1 {{unknown axis 'thread'}}
#l = #warp.linear<{thread = [[1]]}>

// -----

// expected-error@+1 {{axis 'lane' is given twice}}
#l = #warp.linear<{lane = [[1]], lane = [[2]]}>

// -----

// expected-error@+1 {{bases have different ranks: 1 and 2}}
#l = #warp.linear<{register = [[1]], lane = [[1, 0]]}>

// -----

// expected-error@+1 {{basis -1 is outside of [0, 65536)}}
#l = #warp.linear<{register = [[-1]]}>

// -----

// expected-error@+1 {{axis 'register' has more than 16 bits}}
#l = #warp.linear<{register = [[1], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0], [0]]}>

// -----

// expected-error@+1 {{layout of rank 21 is above the largest, 20}}
#l = #warp.linear<{register = [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]}>

// -----

// expected-error@+1 {{layout of a tile of 2^48 elements; at most 2^32}}
#l = #warp.linear<{register = [[32768, 32768, 32768]]}>

// -----

// expected-error@+1 {{a layout has offsets or registers, not both}}
#l = #warp.linear<{offset = [[1]], lane = [[2]]}>

// -----

// As the encoding of a tensor.

// expected-error@+1 {{a tensor is held in registers, got a layout of offsets}}
tile.func private @offsets(tensor<2xf32, #warp.linear<{offset = [[1]]}>>)

// -----

// expected-error@+1 {{a warp has 32 lanes, got 4}}
tile.func private @lanes(tensor<4xf32, #warp.linear<{lane = [[1], [2]]}>>)

// -----

// expected-error@+1 {{layout of rank 1 on a tile of rank 2}}
tile.func private @rank(tensor<4x8xf32, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>)

// -----

// expected-error@+1 {{dimension 0 has size 48, which is not a power of two}}
tile.func private @shape(tensor<48xf32, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>)

// -----

// expected-error@+1 {{layout reaches 32 elements along dimension 0 of size 64}}
tile.func private @reach(tensor<64xf32, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>)

// -----

// expected-error@+1 {{layout does not cover all elements of the tile}}
tile.func private @holes(tensor<32xf32, #warp.linear<{lane = [[1], [2], [4], [4], [16]]}>>)

// -----

// Attributes of the dialect.

// expected-error@+1 {{unknown attribute 'warp.number'}}
tile.func private @unknown() attributes {warp.number = 4 : i32}

// -----

// expected-error@+1 {{'warp.num_warps' must be a non-negative i32, got 4 : i64}}
tile.func private @type() attributes {warp.num_warps = 4 : i64}

// -----

// expected-error@+1 {{'warp.num_warps' must be a power of two up to 32, got 3}}
tile.func private @three() attributes {warp.num_warps = 3 : i32}

// -----

tile.func @from_dims(%x: i32) {
  // expected-error@+1 {{'warp.num_warps' belongs on a function or module}}
  %y = arith.addi %x, %x {warp.num_warps = 4 : i32} : i32
  tile.return
}

// -----

#two = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
// expected-error@+1 {{has a layout for 2 warps in a function of 4}}
tile.func @warps(%x: tensor<32xf32, #two>) attributes {warp.num_warps = 4 : i32} {
  tile.return
}

// -----

// warp.convert_layout

#two = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
tile.func @no_layout(%x: tensor<32xf32, #two>) {
  // C1
  // expected-error@+1 {{needs a #warp.linear layout on source and result, got}}
  %y = warp.convert_layout %x : tensor<32xf32, #two> -> tensor<32xf32>
  tile.return
}

// -----

#two = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
#four = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]}>
tile.func @other_warps(%x: tensor<32xf32, #two>) {
  // C1
  // expected-error@+1 {{cannot move a tile from 2 to 4 warps}}
  %y = warp.convert_layout %x : tensor<32xf32, #two> -> tensor<32xf32, #four>
  tile.return
}

// -----

// Shape ops of tile on tensors with layouts.

#rows = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#columns = #warp.linear<{register = [[0, 1]], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]]}>
tile.func @broadcast(%x: tensor<32xf32, #rows>) {
  %e = tile.expand_dims %x {axis = 1 : i32} : tensor<32xf32, #rows> -> tensor<32x1xf32, #warp.linear<{lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>>
  // expected-error@+1 {{moves elements between threads}}
  %b = tile.broadcast %e : tensor<32x1xf32, #warp.linear<{lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>> -> tensor<32x2xf32, #columns>
  tile.return
}

// -----

#rows = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#square = #warp.linear<{lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]}>
tile.func @reshape(%x: tensor<32xf32, #rows>) {
  // expected-error@+1 {{moves elements between threads}}
  %b = tile.reshape %x : tensor<32xf32, #rows> -> tensor<4x8xf32, #square>
  tile.return
}
