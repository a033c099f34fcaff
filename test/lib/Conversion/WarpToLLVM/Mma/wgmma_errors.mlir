// RUN: tilewright-opt %s -split-input-file -convert-warp-to-llvm=compute-capability=90 -verify-diagnostics

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

tile.func @plain_sm_90(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  // expected-error@+2 {{needs sm_90a}}
  // expected-error@+1 {{failed to legalize operation 'warp.wgmma'}}
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.store %q, %d : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

tile.func @merged_on_plain_sm_90(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  %c = tile.load %q : tensor<64x16x!tile.ptr<f32>, #c>
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  // expected-error@+2 {{needs sm_90a}}
  // expected-error@+1 {{failed to legalize operation 'warp.wgmma'}}
  %s:2 = warp.wgmma %a, [%b, %b], [%c, %c] : !warp.shared<64x32xf16, #a>, [!warp.shared<32x16xf16, #b>, !warp.shared<32x16xf16, #b>], [tensor<64x16xf32, #c>, tensor<64x16xf32, #c>]
  %d:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  tile.store %q, %d#0 : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}
