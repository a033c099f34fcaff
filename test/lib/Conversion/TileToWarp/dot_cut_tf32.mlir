// RUN: tilewright-opt %s -convert-tile-to-warp='compute-capability=80 cut-tf32=true' | FileCheck %s

// Tensor cores truncate unrounded tf32 operands. tf32x3 still needs rounded parts.
// CHECK-LABEL: tile.func @tf32
// CHECK-NOT: arith.bitcast
// CHECK: warp.mma
tile.func @tf32(%x: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %x : f32 -> tensor<16x16xf32>
  %o = tile.dot %a, %a, %zero precision = tf32 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %o : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.func @tf32x3
// CHECK: arith.bitcast
// CHECK-COUNT-3: warp.mma
tile.func @tf32x3(%x: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %a = tile.splat %x : f32 -> tensor<16x16xf32>
  %o = tile.dot %a, %a, %zero precision = tf32x3 : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
  %q = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %o : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
