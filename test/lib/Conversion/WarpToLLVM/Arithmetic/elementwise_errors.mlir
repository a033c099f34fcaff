// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

#l = #warp.linear<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = []}>

// Threads would hold different values of the constant.
tile.func @constant(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // expected-error@+2 {{must be a splat to be a tile on a GPU}}
  // expected-error@+1 {{failed to legalize operation 'arith.constant'}}
  %c = arith.constant dense<[1, 2]> : tensor<2xi32, #l>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>, #l>
  tile.store %ps, %c : tensor<2x!tile.ptr<i32>, #l>
  tile.return
}
