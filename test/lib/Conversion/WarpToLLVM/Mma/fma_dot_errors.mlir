// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

#c = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = []}>
#a = #warp.linear<{register = [], lane = [[0, 1], [0, 0], [0, 0], [1, 0], [2, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 0], [0, 0]], warp = []}>

// Each thread has one of the two elements of its row of %a, and needs both.
tile.func @incomplete(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a = tile.splat %x : f32 -> tensor<4x2xf32, #a>
  %b = tile.splat %x : f32 -> tensor<2x8xf32, #b>
  %c = tile.splat %x : f32 -> tensor<4x8xf32, #c>
  // expected-error@+1 {{failed to legalize operation 'tile.dot'}}
  %d = tile.dot %a, %b, %c : tensor<4x2xf32, #a>, tensor<2x8xf32, #b>, tensor<4x8xf32, #c>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<4x8x!tile.ptr<f32>, #c>
  tile.store %ps, %d : tensor<4x8x!tile.ptr<f32>, #c>
  tile.return
}
