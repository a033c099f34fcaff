// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -convert-warp-to-llvm

#a = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
#b = #warp.linear<{register = [], lane = [[32], [2], [4], [8], [16]], warp = [[1]]}>
tile.func @not_allocated(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #a>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>, #a>
  // expected-error@+2 {{needs shared memory but has no 'warp.shared_offset'}}
  // expected-error@+1 {{failed to legalize operation 'warp.convert_layout'}}
  %y = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #b>
  tile.store %r, %y : tensor<64x!tile.ptr<f32>, #b>
  tile.return
}

// -----

#a = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], block = [[32]]}>
#b = #warp.linear<{register = [], lane = [[32], [2], [4], [8], [16]], block = [[1]]}>
tile.func @cluster(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #a>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>, #a>
  // expected-error@+2 {{moves a tile between the CTAs of a cluster}}
  // expected-error@+1 {{failed to legalize operation 'warp.convert_layout'}}
  %y = warp.convert_layout %x : tensor<64xf32, #a> -> tensor<64xf32, #b>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #b>
  tile.store %r, %y : tensor<64x!tile.ptr<f32>, #b>
  tile.return
}
