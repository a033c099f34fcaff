// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// range C1: an empty range.
tile.func @empty_range() {
  // expected-error @below {{needs start < end, got 4 and 4}}
  %0 = tile.range {start = 4 : i32, end = 4 : i32} : tensor<1xi32>
  tile.return
}

// -----

// range C1: start and end are signed.
tile.func @backward_range() {
  // expected-error @below {{needs start < end, got 4 and -4}}
  %0 = tile.range {start = 4 : i32, end = -4 : i32} : tensor<8xi32>
  tile.return
}

// -----

// range C2: the number of elements.
tile.func @range_size() {
  // expected-error @below {{from 0 to 8 is a tile of 8 elements, got 'tensor<16xi32>'}}
  %0 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<16xi32>
  tile.return
}

// -----

// range C2: the rank.
tile.func @range_rank() {
  // expected-error @below {{from 0 to 8 is a tile of 8 elements, got 'tensor<8x1xi32>'}}
  %0 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8x1xi32>
  tile.return
}

// -----

// range C2: the element type.
tile.func @range_type() {
  // expected-error @below {{must be statically shaped tensor of 32-bit signless integer values}}
  %0 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi64>
  tile.return
}

// -----

// A tile holds one type.
tile.func @splat_type(%x: f32) {
  // expected-error @below {{all of {source, result} have same element type}}
  %0 = tile.splat %x : f32 -> tensor<8xf16>
  tile.return
}

// -----

// Tiles have static shapes.
tile.func @splat_dynamic(%x: f32) {
  // expected-error @below {{must be statically shaped tensor}}
  %0 = tile.splat %x : f32 -> tensor<?xf32>
  tile.return
}

// -----

// Tiles do not hold index.
tile.func @splat_index(%x: index) {
  // expected-error @below {{operand #0 must be an element of a tile, but got 'index'}}
  %0 = tile.splat %x : index -> tensor<8xindex>
  tile.return
}

// -----

// expand_dims C1: after the last position.
tile.func @axis_too_large(%x: tensor<8xf32>) {
  // expected-error @+2 {{axis 2 is outside of [0, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x {axis = 2 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tile.return
}

// -----

// expand_dims C1: axes do not count from the end.
tile.func @axis_negative(%x: tensor<8xf32>) {
  // expected-error @+2 {{axis -1 is outside of [0, 1]}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x {axis = -1 : i32} : tensor<8xf32> -> tensor<8x1xf32>
  tile.return
}

// -----

// The result's type follows from the source's.
tile.func @expand_result(%x: tensor<8xf32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<8x1xf32>' are incompatible with return type(s) of operation 'tensor<1x8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x {axis = 1 : i32} : tensor<8xf32> -> tensor<1x8xf32>
  tile.return
}

// -----

// broadcast C1: the rank.
tile.func @broadcast_rank(%x: tensor<8xf32>) {
  // expected-error @below {{keeps the rank, got 'tensor<8xf32>' and 'tensor<8x8xf32>'}}
  %0 = tile.broadcast %x : tensor<8xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

// broadcast C2: only dimensions of size 1 are repeated.
tile.func @broadcast_size(%x: tensor<8x2xf32>) {
  // expected-error @below {{cannot stretch dimension 1 of size 2 to 4}}
  %0 = tile.broadcast %x : tensor<8x2xf32> -> tensor<8x4xf32>
  tile.return
}

// -----

// Broadcasting converts nothing.
tile.func @broadcast_type(%x: tensor<8x1xf32>) {
  // expected-error @below {{all of {source, result} have same element type}}
  %0 = tile.broadcast %x : tensor<8x1xf32> -> tensor<8x4xf64>
  tile.return
}

// -----

// reshape C1: the number of elements changes.
tile.func @reshape_size(%x: tensor<8x4xf32>) {
  // expected-error @below {{keeps the number of elements, got 32 and 64}}
  %0 = tile.reshape %x : tensor<8x4xf32> -> tensor<64xf32>
  tile.return
}

// -----

// transpose C1: a dimension named twice.
tile.func @order_repeats(%x: tensor<8x4xf32>) {
  // expected-error @+2 {{order must be a permutation of the 2 dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.transpose %x {order = array<i32: 0, 0>} : tensor<8x4xf32> -> tensor<8x8xf32>
  tile.return
}

// -----

// transpose C1: a dimension left out.
tile.func @order_too_short(%x: tensor<8x4xf32>) {
  // expected-error @+2 {{order must be a permutation of the 2 dimensions}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.transpose %x {order = array<i32: 0>} : tensor<8x4xf32> -> tensor<8xf32>
  tile.return
}
