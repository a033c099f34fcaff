// RUN: tilewright-opt %s -convert-tile-to-warp="compute-capability=90 arch-specific=true" | FileCheck %s
// RUN: tilewright-opt %s -convert-tile-to-warp=compute-capability=90 | FileCheck %s --check-prefix=ROUNDED

// wgmma truncates float32 itself; other tensor cores get rounded operands.
// CHECK-LABEL: tile.func @tf32
// CHECK-NOT: arith.andi
// CHECK: warp.wgmma
// ROUNDED-LABEL: tile.func @tf32
// ROUNDED-COUNT-2: arith.andi
// ROUNDED: warp.mma
tile.func @tf32(%x: f32, %y: f32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %a = tile.splat %x : f32 -> tensor<64x32xf32>
  %b = tile.splat %y : f32 -> tensor<32x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %o = tile.dot %a, %b, %zero precision = tf32 : tensor<64x32xf32>, tensor<32x64xf32>, tensor<64x64xf32>
  %p = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %o : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
