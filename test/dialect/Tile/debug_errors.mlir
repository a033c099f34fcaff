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
