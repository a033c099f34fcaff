// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp -verify-diagnostics

tile.func @three(%x: f32) attributes {tile.kernel} {
  // expected-error@below {{convert-tile-to-warp takes blocks with power-of-two dimensions, as tile-gpu-split-blocks leaves them, got 'tensor<96xi32>'}}
  %r = tile.range {start = 0 : i32, end = 96 : i32} : tensor<96xi32>
  tile.return
}

// -----

tile.func @huge(%x: f32) attributes {tile.kernel} {
  // expected-error@below {{a block that 4 warps hold has at most 262144 elements, got 'tensor<2048x1024xf32>': loop over smaller blocks, or use more warps}}
  %r = tile.splat %x : f32 -> tensor<2048x1024xf32>
  tile.return
}

// -----

// A splat takes one register, but values computed from it take one each.
tile.func @huge_values(%x: f32, %y: f32) attributes {tile.kernel} {
  %0 = tile.splat %x : f32 -> tensor<64x64x64xf32>
  %1 = tile.splat %y : f32 -> tensor<64x64x64xf32>
  // expected-error@below {{a block that 4 warps hold has at most 131072 elements, got 'tensor<64x64x64xf32>': loop over smaller blocks, or use more warps}}
  %2 = arith.addf %0, %1 : tensor<64x64x64xf32>
  tile.return
}

// -----

tile.func @huge_load(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %0 = tile.splat %p : !tile.ptr<i32> -> tensor<262144x!tile.ptr<i32>>
  // expected-error@below {{a block that 4 warps hold has at most 131072 elements, got 'tensor<262144xi32>'}}
  %1 = tile.load %0 : tensor<262144x!tile.ptr<i32>>
  tile.return
}

// -----

tile.func @huge_loop(%x: f32, %n: i32) attributes {tile.kernel} {
  %0 = tile.splat %x : f32 -> tensor<262144xf32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error@below {{a block that 4 warps hold has at most 131072 elements, got 'tensor<262144xf32>'}}
  %1 = scf.for %i = %c0 to %n step %c1 iter_args(%a = %0) -> tensor<262144xf32> : i32 {
    scf.yield %a : tensor<262144xf32>
  }
  tile.return
}

// -----

tile.func @many(%x: f32) attributes {tile.kernel} {
  // expected-error@below {{a block has at most 20 dimensions, got 'tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>'}}
  %r = tile.splat %x : f32 -> tensor<1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x2xf32>
  tile.return
}

// -----

tile.func private @helper(%x: f32) -> f32 {
  tile.return %x : f32
}
tile.func @calls(%x: f32) attributes {tile.kernel} {
  // expected-error@below {{the NVIDIA back end takes kernels whose calls are inlined}}
  %r = tile.call @helper(%x) : (f32) -> f32
  tile.return
}

// -----

// There is no rule for extracting elements of a tile.
tile.func @extract(%x: f32, %i: index) attributes {tile.kernel} {
  %r = tile.splat %x : f32 -> tensor<64xf32>
  // expected-error@below {{the NVIDIA back end cannot compute this on blocks}}
  %e = tensor.extract %r[%i] : tensor<64xf32>
  tile.return
}

// -----

#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
tile.func @several_dots() attributes {tile.kernel} {
  %c = arith.constant dense<0.0> : tensor<64x16xf32>
  %a = warp.alloc : !warp.shared<64x16xf16, #a>
  %b = warp.alloc : !warp.shared<16x16xf16, #b>
  // expected-error@below {{a wgmma has one dot until warp-merge-wgmma, got 2}}
  %s:2 = warp.wgmma %a, [%b, %b], [%c, %c] : !warp.shared<64x16xf16, #a>, [!warp.shared<16x16xf16, #b>, !warp.shared<16x16xf16, #b>], [tensor<64x16xf32>, tensor<64x16xf32>]
  tile.return
}
