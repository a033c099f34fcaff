// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// Addresses have 64 bits.
tile.func @narrow(%i: i32) {
  // expected-error @below {{operand #0 must be i64 or a tile of i64, but got 'i32'}}
  %0 = tile.int_to_ptr %i : i32 -> !tile.ptr<f32>
  tile.return
}

// -----

// Integers are not pointers.
tile.func @to_int(%i: i64) {
  // expected-error @below {{operand #0 must be a pointer or a tile of pointers, but got 'i64'}}
  %0 = tile.ptr_to_int %i : i64 -> i64
  tile.return
}

// -----

// A cast keeps the shape.
tile.func @shape(%i: tensor<8xi64>) {
  // expected-error @below {{all non-scalar operands/results must have the same shape and base type}}
  %0 = tile.int_to_ptr %i : tensor<8xi64> -> tensor<4x!tile.ptr<f32>>
  tile.return
}

// -----

// A cast does not create tiles.
tile.func @scalar(%i: i64) {
  // expected-error @below {{if a result is non-scalar, then at least one operand must be non-scalar}}
  %0 = tile.int_to_ptr %i : i64 -> tensor<4x!tile.ptr<f32>>
  tile.return
}

// -----

// The casts of arith convert values.
tile.func @value(%x: f32) {
  // expected-error @below {{operand #0 must be a pointer or a tile of pointers, but got 'f32'}}
  %0 = tile.bitcast %x : f32 -> i32
  tile.return
}
