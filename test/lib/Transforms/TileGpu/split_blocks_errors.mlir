// RUN: tilewright-opt %s -split-input-file -tile-gpu-split-blocks -verify-diagnostics

// 520 x 513 are 266,760 elements, and 528 x 528 with padding.
tile.func @huge(%x: f32) attributes {tile.kernel} {
  // expected-error@below {{a block that 4 warps hold has at most 262144 elements, got 'tensor<520x513xf32>': loop over smaller blocks, or use more warps}}
  %r = tile.splat %x : f32 -> tensor<520x513xf32>
  tile.return
}

// -----

tile.func private @helper(%x: tensor<3xf32>) -> tensor<3xf32> {
  tile.return %x : tensor<3xf32>
}
tile.func @calls(%x: f32) attributes {tile.kernel} {
  %t = tile.splat %x : f32 -> tensor<3xf32>
  // expected-error@below {{the NVIDIA back end takes kernels whose calls are inlined}}
  %r = tile.call @helper(%t) : (tensor<3xf32>) -> tensor<3xf32>
  tile.return
}

// -----

// There is no rule for extracting elements of a tile.
tile.func @extract(%x: f32, %i: index) attributes {tile.kernel} {
  %r = tile.splat %x : f32 -> tensor<96xf32>
  // expected-error@below {{the NVIDIA back end cannot compute this on blocks whose dimensions are not powers of two}}
  %e = tensor.extract %r[%i] : tensor<96xf32>
  tile.return
}

// -----

// Pieces need descriptors of their own.
tile.func @chosen(%x: !tile.ptr<f32>, %c: i1, %i: i32, %n: i64) attributes {tile.kernel} {
  %d = tile.make_descriptor %x, [%n], [] : !tile.desc<96xf32>, !tile.ptr<f32>
  %e = arith.select %c, %d, %d : !tile.desc<96xf32>
  // expected-error@below {{the descriptor must be made in the same kernel, not chosen by a branch or a loop}}
  %v = tile.descriptor_load %e[%i] : !tile.desc<96xf32> -> tensor<96xf32>
  tile.return
}

// -----

// Folding makes such constants only of others.
tile.func @varied() attributes {tile.kernel} {
  // expected-error@below {{must be a splat to be a tile on a GPU}}
  %r = arith.constant dense<[1, 2, 3]> : tensor<3xi32>
  tile.return
}

// -----

// Scans of other sizes are padded before this pass.
tile.func @scan(%x: i32) attributes {tile.kernel} {
  %t = tile.splat %x : i32 -> tensor<48x4xi32>
  // expected-error@below {{runs along a dimension of 48, which is not a power of two}}
  %s = "tile.scan"(%t) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<48x4xi32>) -> tensor<48x4xi32>
  tile.return
}
