// RUN: tilewright-opt %s --convert-warp-to-llvm -verify-diagnostics

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// Counts are in shared memory, which is not allocated.
tile.func @no_memory(%i: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %n = tile.splat %i : i32 -> tensor<32xi32, #l>
  // expected-error @+2 {{needs shared memory but has no 'warp.shared_offset'}}
  // expected-error @below {{failed to legalize operation 'tile.histogram'}}
  %g = tile.histogram %n : tensor<32xi32, #l> -> tensor<32xi32, #l>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #l>
  tile.store %ps, %g : tensor<32x!tile.ptr<i32>, #l>
  tile.return
}
