// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=80 --split-input-file --verify-diagnostics

#a = #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// The tensor cores of sm_80 do not support 8-bit floats.
tile.func @float8(%x: f8E5M2, %z: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a = tile.splat %x : f8E5M2 -> tensor<16x32xf8E5M2, #a>
  %b = tile.splat %x : f8E5M2 -> tensor<32x8xf8E5M2, #b>
  %c = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // expected-error@+2 {{of 8-bit floats needs sm_89 or newer, the target is sm_80}}
  // expected-error@+1 {{failed to legalize operation 'warp.mma'}}
  %d = warp.mma %a, %b, %c : tensor<16x32xf8E5M2, #a>, tensor<32x8xf8E5M2, #b>, tensor<16x8xf32, #c>
  %p = tile.splat %z : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  tile.store %p, %d : tensor<16x8x!tile.ptr<f32>, #c>
  tile.return
}
