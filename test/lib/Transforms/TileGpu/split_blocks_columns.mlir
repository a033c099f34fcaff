// RUN: tilewright-opt %s -tile-gpu-split-blocks='compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -tile-gpu-split-blocks='compute-capability=80' -canonicalize -cse | FileCheck %s --check-prefix=WARPS

// One wgmma computes all columns, so 112 = 64 + 32 + 16 pays. mma.sync would take as many instructions as for 128.
// CHECK-LABEL: tile.func @columns
// CHECK: tile.dot %[[A:.*]], %{{.*}}, %{{.*}} : tensor<64x16xf16>, tensor<16x64xf16>, tensor<64x64xf32>
// CHECK: tile.dot %[[A]], %{{.*}}, %{{.*}} : tensor<64x16xf16>, tensor<16x32xf16>, tensor<64x32xf32>
// CHECK: tile.dot %[[A]], %{{.*}}, %{{.*}} : tensor<64x16xf16>, tensor<16x16xf16>, tensor<64x16xf32>
// CHECK-NOT: tile.dot
// WARPS-LABEL: tile.func @columns
// WARPS: tile.dot %{{.*}}, %{{.*}}, %{{.*}} : tensor<64x16xf16>, tensor<16x128xf16>, tensor<64x128xf32>
// WARPS-NOT: tile.dot
tile.func @columns(%x: !tile.ptr<f16>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %as = tile.splat %x : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %a = tile.load %as : tensor<64x16x!tile.ptr<f16>>
  %bs = tile.splat %x : !tile.ptr<f16> -> tensor<16x112x!tile.ptr<f16>>
  %b = tile.load %bs : tensor<16x112x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x112xf32>
  %d = tile.dot %a, %b, %zero : tensor<64x16xf16>, tensor<16x112xf16>, tensor<64x112xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x112x!tile.ptr<f32>>
  tile.store %ys, %d : tensor<64x112x!tile.ptr<f32>>
  tile.return
}
