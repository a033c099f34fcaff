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

// print C2: where it starts, but not how much there is.
tile.func @half_a_part(%x: tensor<8xi32>) {
  // expected-error @below {{of a piece of a block has an origin and an extent, with one number for each side}}
  tile.print "x", %x {isSigned = array<i1: true>, origin = array<i64: 64>} : tensor<8xi32>
  tile.return
}

// -----

// print C2: more elements than the operand has.
tile.func @more_than_all(%x: tensor<8xi32>) {
  // expected-error @below {{prints a piece of 'tensor<8xi32>', which has not the sides of its extent}}
  tile.print "x", %x {isSigned = array<i1: true>, origin = array<i64: 0>, extent = array<i64: 9>} : tensor<8xi32>
  tile.return
}
