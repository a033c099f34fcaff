// RUN: tilewright-opt %s --convert-warp-to-llvm -verify-diagnostics

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// The source goes through shared memory, which is not allocated.
tile.func @no_memory(%x: f32, %i: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %v = tile.splat %x : f32 -> tensor<32xf32, #l>
  %n = tile.splat %i : i32 -> tensor<32xi32, #l>
  // expected-error @+2 {{needs shared memory but has no 'warp.shared_offset'}}
  // expected-error @below {{failed to legalize operation 'tile.gather'}}
  %g = tile.gather %v[%n] {axis = 0 : i32} : tensor<32xf32, #l>, tensor<32xi32, #l> -> tensor<32xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #l>
  tile.store %ps, %g : tensor<32x!tile.ptr<f32>, #l>
  tile.return
}
