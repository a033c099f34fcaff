// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The type.

// expected-error@+1 {{shared memory holds integers, floats and pointers, got 'index'}}
tile.func private @element(!warp.shared<4xindex, #warp.linear<{offset = [[1], [2]]}>>)

// -----

// expected-error@+1 {{shared memory holds tiles of at least two elements}}
tile.func private @one(!warp.shared<1x1xf32, #warp.linear<{offset = []}>>)

// -----

// expected-error@+1 {{shared memory needs a layout of offsets, got}}
tile.func private @registers(!warp.shared<32xf32, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>)

// -----

// expected-error@+1 {{layout reaches 4 elements along dimension 0 of size 8}}
tile.func private @reach(!warp.shared<8xf32, #warp.linear<{offset = [[1], [2]]}>>)

// -----

// expected-error@+1 {{two offsets hold the same element in}}
tile.func private @copies(!warp.shared<4xf32, #warp.linear<{offset = [[1], [2], [0]]}>>)

// -----

// expected-error@+1 {{needs a layout: only tiles of numbers with power-of-two extents have a default layout}}
tile.func private @default(!warp.shared<24x32xf32>)

// -----

// expected-error@+1 {{needs a layout}}
tile.func private @pointers(!warp.shared<32x!tile.ptr<f32>>)

// -----

// The ops.

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @alloc(%x: tensor<32xf32, #lanes>) {
  // C1
  // expected-error@+1 {{but the shared memory is}}
  %m = warp.alloc %x : (tensor<32xf32, #lanes>) -> !warp.shared<32xf16, #shared>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @load(%m: !warp.shared<32xf32, #shared>) attributes {warp.num_warps = 1 : i32} {
  // C1
  // expected-error@+1 {{needs a tile with a #warp.linear layout, got 'tensor<32xf32>'}}
  %x = warp.local_load %m : !warp.shared<32xf32, #shared> -> tensor<32xf32>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @part_without_layout(%m: !warp.shared<32xf32, #shared>) attributes {warp.num_warps = 1 : i32} {
  // C1
  // expected-error@+1 {{needs a tile with a #warp.linear layout, got 'tensor<8xf32>'}}
  %x = warp.local_load %m {start = array<i64: 0>} : !warp.shared<32xf32, #shared> -> tensor<8xf32>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @part_of_another_type(%m: !warp.shared<32xf32, #shared>) {
  // C1
  // expected-error@+1 {{moves 'tensor<8xf16>' but the shared memory is}}
  %x = warp.local_load %m {start = array<i64: 0>} : !warp.shared<32xf32, #shared> -> tensor<8xf16>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @part_of_another_rank(%m: !warp.shared<32xf32, #shared>) {
  // C2
  // expected-error@+1 {{that is a multiple of the extents of 'tensor<8xf32>', got [0, 0]}}
  %x = warp.local_load %m {start = array<i64: 0, 0>} : !warp.shared<32xf32, #shared> -> tensor<8xf32>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @part_at_no_multiple(%m: !warp.shared<32xf32, #shared>) {
  // C2
  // expected-error@+1 {{that is a multiple of the extents of 'tensor<8xf32>', got [4]}}
  %x = warp.local_load %m {start = array<i64: 4>} : !warp.shared<32xf32, #shared> -> tensor<8xf32>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @part_beyond(%m: !warp.shared<32xf32, #shared>) {
  // C2
  // expected-error@+1 {{needs a start in '!warp.shared<32xf32,}}
  %x = warp.local_load %m {start = array<i64: 32>} : !warp.shared<32xf32, #shared> -> tensor<8xf32>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32]]}>
tile.func @store(%x: tensor<32xf32, #lanes>, %m: !warp.shared<64xf32, #shared>) {
  // C1
  // expected-error@+1 {{but the shared memory is}}
  warp.local_store %x, %m : tensor<32xf32, #lanes> -> !warp.shared<64xf32, #shared>
  tile.return
}

// -----

tile.func @offset() {
  // expected-error@+1 {{'warp.shared_offset' must be a non-negative i32, got -4 : i32}}
  warp.barrier {warp.shared_offset = -4 : i32}
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @tma_store_c1(%x: tensor<4x8xf32, #lanes>, %map: !warp.tensor_map, %i: i32,
                        %s: !warp.shared<128xi8, #bytes>) {
  // expected-error@+1 {{needs one to five offsets, at least one for each dimension of}}
  warp.tma_store %x, %map[%i] through %s
      : tensor<4x8xf32, #lanes>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[0, 1], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @tma_store_c2(%x: tensor<16x2xf32, #lanes>, %map: !warp.tensor_map, %i: i32,
                        %s: !warp.shared<128xi8, #bytes>) {
  // expected-error@+1 {{cannot copy rows of}}
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<16x2xf32, #lanes>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
#words = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @tma_store_c3(%x: tensor<4x8xf32, #lanes>, %map: !warp.tensor_map, %i: i32,
                        %s: !warp.shared<32xf32, #words>) {
  // expected-error@+1 {{needs a one-dimensional staging tile of bytes, got '!warp.shared<32xf32}}
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<4x8xf32, #lanes>, !warp.tensor_map, !warp.shared<32xf32, #words>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @tma_store_c4(%x: tensor<4x8xf32, #lanes>, %map: !warp.tensor_map, %i: i32,
                        %s: !warp.shared<128xi8, #bytes>) {
  // expected-error@+1 {{has no reduction 'fmax' of 'f32'}}
  warp.tma_store %x, %map[%i, %i] through %s reduce fmax
      : tensor<4x8xf32, #lanes>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @alloc_c2() {
  // expected-error@+1 {{needs a cluster size that is a power of two up to 16, got 6}}
  %m = warp.alloc {cluster = 6 : i32} : !warp.shared<32xf32, #shared>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @remote_load_c1(%rank: i32) {
  %m = warp.alloc {cluster = 2 : i32} : !warp.shared<32xf16, #shared>
  // expected-error@+1 {{but the shared memory is '!warp.shared<32xf16}}
  %x = warp.remote_load %m of %rank : !warp.shared<32xf16, #shared> -> tensor<32xf32, #lanes>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @remote_load_c2(%rank: i32) {
  // expected-note@+1 {{allocated here}}
  %m = warp.alloc : !warp.shared<32xf32, #shared>
  // expected-error@+1 {{reads memory that other CTAs do not have}}
  %x = warp.remote_load %m of %rank : !warp.shared<32xf32, #shared> -> tensor<32xf32, #lanes>
  tile.return
}
