// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// C1: after the last dimension.
tile.func @axis_too_large(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{axis 1 is outside of [0, 1)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.gather %x[%i] {axis = 1 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  tile.return
}

// -----

// C1: axes do not count from the end.
tile.func @axis_negative(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{axis -1 is outside of [0, 1)}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.gather %x[%i] {axis = -1 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<4xf32>
  tile.return
}

// -----

// C2: an index for each row of another number of rows.
tile.func @sizes(%x: tensor<8x16xf32>, %i: tensor<4x4xi32>) {
  // expected-error @+2 {{source and indices may differ along axis 1 only, got 'tensor<8x16xf32>' and 'tensor<4x4xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.gather %x[%i] {axis = 1 : i32} : tensor<8x16xf32>, tensor<4x4xi32> -> tensor<4x4xf32>
  tile.return
}

// -----

// C2: ranks differ.
tile.func @ranks(%x: tensor<8x16xf32>, %i: tensor<8xi32>) {
  // expected-error @+2 {{source and indices may differ along axis 1 only, got 'tensor<8x16xf32>' and 'tensor<8xi32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.gather %x[%i] {axis = 1 : i32} : tensor<8x16xf32>, tensor<8xi32> -> tensor<8xf32>
  tile.return
}

// -----

// The result has the shape of the indices and the type of the source.
tile.func @result(%x: tensor<8xf32>, %i: tensor<4xi32>) {
  // expected-error @+2 {{inferred type(s) 'tensor<4xf32>' are incompatible with return type(s) of operation 'tensor<8xf32>'}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi32> -> tensor<8xf32>
  tile.return
}

// -----

// Indices are of 32 bits.
tile.func @index_type(%x: tensor<8xf32>, %i: tensor<4xi64>) {
  // expected-error @below {{operand #1 must be statically shaped tensor of 32-bit signless integer values}}
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<8xf32>, tensor<4xi64> -> tensor<4xf32>
  tile.return
}

// -----

// C1: a mask of another shape.
tile.func @mask(%x: tensor<8xi32>, %m: tensor<4xi1>) {
  // expected-error @below {{mask is a boolean of the source's shape}}
  %0 = "tile.histogram"(%x, %m) : (tensor<8xi32>, tensor<4xi1>) -> tensor<4xi32>
  tile.return
}

// -----

// C2: counts stand in a row.
tile.func @counts(%x: tensor<8xi32>) {
  // expected-error @below {{counts into a tile of rank 1, got 'tensor<4x4xi32>'}}
  %0 = tile.histogram %x : tensor<8xi32> -> tensor<4x4xi32>
  tile.return
}
