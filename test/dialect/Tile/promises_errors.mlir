// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The analysis counts in powers of two.
tile.func @odd(%n: i32) {
  // expected-error @below {{'tile.divisibility' is an i32 array of powers of two, got array<i32: 12>}}
  %m = arith.muli %n, %n {tile.divisibility = array<i32: 12>} : i32
  tile.return
}

// -----

// One value for two dimensions.
tile.func @rank(%x: tensor<8x4xi32>) {
  // expected-error @below {{'tile.contiguity' has 1 values for rank 2}}
  %y = arith.muli %x, %x {tile.contiguity = array<i32: 4>} : tensor<8x4xi32>
  tile.return
}

// -----

// Floats have no alignment.
tile.func @floats(%x: tensor<8xf32>) {
  // expected-error @below {{'tile.constancy' is about integers and pointers, got 'tensor<8xf32>'}}
  %y = arith.mulf %x, %x {tile.constancy = array<i32: 4>} : tensor<8xf32>
  tile.return
}

// -----

tile.func @not_counted(%x: f32) {
  // expected-error @below {{'tile.non_negative' takes no value and is about integers, got unit of 'f32'}}
  %y = arith.mulf %x, %x {tile.non_negative} : f32
  tile.return
}

// -----

tile.func @valued(%x: i32) {
  // expected-error @below {{'tile.non_negative' takes no value and is about integers, got 3 : i32 of 'i32'}}
  %y = arith.muli %x, %x {tile.non_negative = 3 : i32} : i32
  tile.return
}

// -----

tile.func @two(%x: i32) {
  // expected-error @below {{'tile.non_negative' belongs on ops of one result}}
  %y:2 = arith.mulsi_extended %x, %x {tile.non_negative} : i32
  tile.return
}

// -----

// expected-error @below {{'tile.non_negative' takes no value and is about integers, got unit of '!tile.ptr<f32>'}}
tile.func @address(%p: !tile.ptr<f32> {tile.non_negative}) { tile.return }
