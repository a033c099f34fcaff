// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// C1: the contracted dimensions differ.
tile.func @inner(%a: tensor<16x8xf16>, %b: tensor<16x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN, got 'tensor<16x8xf16>', 'tensor<16x32xf16>' and 'tensor<16x32xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<16x32xf16>, tensor<16x32xf32>
  tile.return
}

// -----

// C1: the accumulator's rows.
tile.func @rows(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<8x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x32xf16>, tensor<8x32xf32>
  tile.return
}

// -----

// C1: the accumulator's columns.
tile.func @columns(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x16xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x16xf32>
  tile.return
}

// -----

// C1: the rank.
tile.func @rank(%a: tensor<8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN}}
  %0 = tile.dot %a, %b, %c : tensor<8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  tile.return
}

// -----

// C2: two element types.
tile.func @mixed(%a: tensor<16x8xf16>, %b: tensor<8x32xbf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{multiplies elements of one type, got 'f16' and 'bf16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf16>, tensor<8x32xbf16>, tensor<16x32xf32>
  tile.return
}

// -----

// C3: bytes are summed in 32 bits.
tile.func @narrow_sum(%a: tensor<16x8xi8>, %b: tensor<8x32xi8>, %c: tensor<16x32xi8>) {
  // expected-error @below {{cannot accumulate dots of 'i8' in 'i8'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xi8>, tensor<8x32xi8>, tensor<16x32xi8>
  tile.return
}

// -----

// C3: bf16 has too few bits to sum in.
tile.func @bf16_sum(%a: tensor<16x8xbf16>, %b: tensor<8x32xbf16>, %c: tensor<16x32xf16>) {
  // expected-error @below {{cannot accumulate dots of 'bf16' in 'f16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xbf16>, tensor<8x32xbf16>, tensor<16x32xf16>
  tile.return
}

// -----

// C3: f32 is not summed in less.
tile.func @f32_sum(%a: tensor<16x8xf32>, %b: tensor<8x32xf32>, %c: tensor<16x32xf16>) {
  // expected-error @below {{cannot accumulate dots of 'f32' in 'f16'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xf32>, tensor<8x32xf32>, tensor<16x32xf16>
  tile.return
}

// -----

// C3: no hardware multiplies wider integers this way.
tile.func @i32_operands(%a: tensor<16x8xi32>, %b: tensor<8x32xi32>, %c: tensor<16x32xi32>) {
  // expected-error @below {{cannot accumulate dots of 'i32' in 'i32'}}
  %0 = tile.dot %a, %b, %c : tensor<16x8xi32>, tensor<8x32xi32>, tensor<16x32xi32>
  tile.return
}

// -----

// C4: only f32 has a mantissa to shorten.
tile.func @precision(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{precision 'tf32' is for f32 operands, got 'f16'}}
  %0 = tile.dot %a, %b, %c precision = tf32 : tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>
  tile.return
}

// -----

// The result has the accumulator's type.
tile.func @result(%a: tensor<16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<16x32xf32>) {
  // expected-error @below {{all of {acc, result} have same type}}
  %0 = "tile.dot"(%a, %b, %c) : (tensor<16x8xf16>, tensor<8x32xf16>, tensor<16x32xf32>) -> tensor<16x32xf16>
  tile.return
}

// -----

// C1: the batch sizes differ.
tile.func @batch(%a: tensor<4x16x8xf16>, %b: tensor<2x8x32xf16>, %c: tensor<4x16x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN, got 'tensor<4x16x8xf16>', 'tensor<2x8x32xf16>' and 'tensor<4x16x32xf32>'}}
  %0 = tile.dot %a, %b, %c : tensor<4x16x8xf16>, tensor<2x8x32xf16>, tensor<4x16x32xf32>
  tile.return
}

// -----

// C1: matrices and batches of matrices.
tile.func @ranks(%a: tensor<4x16x8xf16>, %b: tensor<8x32xf16>, %c: tensor<4x16x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN}}
  %0 = tile.dot %a, %b, %c : tensor<4x16x8xf16>, tensor<8x32xf16>, tensor<4x16x32xf32>
  tile.return
}

// -----

// C1: one dimension too many.
tile.func @rank_four(%a: tensor<2x4x16x8xf16>, %b: tensor<2x4x8x32xf16>, %c: tensor<2x4x16x32xf32>) {
  // expected-error @below {{multiplies MxK by KxN into MxN}}
  %0 = tile.dot %a, %b, %c : tensor<2x4x16x8xf16>, tensor<2x4x8x32xf16>, tensor<2x4x16x32xf32>
  tile.return
}
