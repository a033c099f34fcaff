// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// Conditions are booleans.
tile.func @condition(%c: i32) {
  // expected-error @below {{operand #0 must be a boolean or a tile of booleans, but got 'i32'}}
  tile.assert %c, "no" : i32
  tile.return
}

// -----

// print C1: one flag for two values.
tile.func @flags(%x: i32) {
  // expected-error @below {{has 2 values but 1 signedness flags}}
  tile.print "x", %x, %x {isSigned = array<i1: true>} : i32, i32
  tile.return
}

// -----

// print C2: an origin without an extent.
tile.func @half_a_part(%x: tensor<8xi32>) {
  // expected-error @below {{needs an origin and an extent, with one number per dimension}}
  tile.print "x", %x {isSigned = array<i1: true>, origin = array<i64: 64>} : tensor<8xi32>
  tile.return
}

// -----

// print C2: an extent larger than the operand.
tile.func @more_than_all(%x: tensor<8xi32>) {
  // expected-error @below {{prints a part of 'tensor<8xi32>', whose shape does not fit its extent}}
  tile.print "x", %x {isSigned = array<i1: true>, origin = array<i64: 0>, extent = array<i64: 9>} : tensor<8xi32>
  tile.return
}
