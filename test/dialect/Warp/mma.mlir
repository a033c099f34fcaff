// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// Two warps along M; 32 x 16 x 16 in f16, the fragments of the PTX ISA.
#a16 = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b16 = #warp.linear<{register = [[1, 0], [8, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>

// CHECK-LABEL: @half
tile.func @half(%a: tensor<32x16xf16, #a16>, %b: tensor<16x16xf16, #b16>, %c: tensor<32x16xf32, #c>) {
  // CHECK: warp.mma %{{.*}}, %{{.*}}, %{{.*}} : tensor<32x16xf16, #{{.*}}>, tensor<16x16xf16, #{{.*}}>, tensor<32x16xf32, #{{.*}}>
  %d = warp.mma %a, %b, %c : tensor<32x16xf16, #a16>, tensor<16x16xf16, #b16>, tensor<32x16xf32, #c>
  tile.return
}

#a32 = #warp.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]]}>
#b32 = #warp.linear<{register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]}>
#c1 = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>

// CHECK-LABEL: @tf32
tile.func @tf32(%a: tensor<16x8xf32, #a32>, %b: tensor<8x8xf32, #b32>, %c: tensor<16x8xf32, #c1>) {
  // CHECK: warp.mma
  %d = warp.mma %a, %b, %c : tensor<16x8xf32, #a32>, tensor<8x8xf32, #b32>, tensor<16x8xf32, #c1>
  tile.return
}

#a8 = #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]]}>
#b8 = #warp.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]]}>

// CHECK-LABEL: @bytes
tile.func @bytes(%a: tensor<16x32xi8, #a8>, %b: tensor<32x8xi8, #b8>, %c: tensor<16x8xi32, #c1>,
                 %e: tensor<16x32xf8E4M3FN, #a8>, %f: tensor<32x8xf8E5M2, #b8>, %g: tensor<16x8xf32, #c1>) {
  // CHECK: warp.mma
  %d = warp.mma %a, %b, %c : tensor<16x32xi8, #a8>, tensor<32x8xi8, #b8>, tensor<16x8xi32, #c1>
  // CHECK: warp.mma
  %h = warp.mma %e, %f, %g : tensor<16x32xf8E4M3FN, #a8>, tensor<32x8xf8E5M2, #b8>, tensor<16x8xf32, #c1>
  tile.return
}

// Four dots by two warps: each warp has every other one.
#ab = #warp.linear<{register = [[0, 0, 1], [0, 8, 0], [0, 0, 8], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>
#bb = #warp.linear<{register = [[0, 1, 0], [0, 8, 0], [2, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[1, 0, 0]]}>
#cb = #warp.linear<{register = [[0, 0, 1], [0, 8, 0], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>

// CHECK-LABEL: @batch
tile.func @batch(%a: tensor<4x16x16xf16, #ab>, %b: tensor<4x16x8xf16, #bb>, %c: tensor<4x16x8xf32, #cb>) {
  // CHECK: warp.mma
  %d = warp.mma %a, %b, %c : tensor<4x16x16xf16, #ab>, tensor<4x16x8xf16, #bb>, tensor<4x16x8xf32, #cb>
  tile.return
}
