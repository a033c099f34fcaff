// RUN: tilewright-opt %s -tile-expand-descriptors -verify-diagnostics

tile.func @unknown(%d: !tile.desc<8xi32>, %i: i32, %x: tensor<8xi32>) {
  // expected-error@+1 {{the descriptor must be made in the same kernel, not chosen by a branch or a loop}}
  tile.descriptor_store %d[%i], %x : !tile.desc<8xi32>, tensor<8xi32>
  tile.return
}
