// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// One warpgroup, 64 x 16 in 32-bit accumulators: warp w holds rows 16 w to 16 w + 15.
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
// 64 x 16 f16, rows of 32 bytes, the two chunks of every other four rows swapped.
#a16 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
// The contracted dimension contiguous, and the other one.
#b16 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t16 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}>

// CHECK-LABEL: @half
tile.func @half(%c: tensor<64x16xf32, #c>, %h: tensor<64x16xf16, #c>) {
  %a = warp.alloc : !warp.shared<64x16xf16, #a16>
  %b = warp.alloc : !warp.shared<16x16xf16, #b16>
  %t = warp.alloc : !warp.shared<16x16xf16, #t16>
  // CHECK: %[[S:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %{{.*}} : !warp.shared<64x16xf16, #{{.*}}>, !warp.shared<16x16xf16, #{{.*}}>, tensor<64x16xf32, #{{.*}}>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x16xf16, #a16>, !warp.shared<16x16xf16, #b16>, tensor<64x16xf32, #c>
  // A in registers, B with the other dimension contiguous.
  // CHECK: warp.wgmma %{{.*}}, %{{.*}}, %[[S]] : tensor<64x16xf16, #{{.*}}>, !warp.shared<16x16xf16, #{{.*}}>, tensor<64x16xf32, #{{.*}}>
  %u = warp.wgmma %h, %t, %s : tensor<64x16xf16, #c>, !warp.shared<16x16xf16, #t16>, tensor<64x16xf32, #c>
  %v = warp.wgmma %a, %t, %h : !warp.shared<64x16xf16, #a16>, !warp.shared<16x16xf16, #t16>, tensor<64x16xf16, #c>
  // CHECK: %{{.*}}:2 = warp.wgmma_wait %{{.*}}, %{{.*}} {pendings = 0 : i32} : tensor<64x16xf32, #{{.*}}>, tensor<64x16xf16, #{{.*}}>
  %w:2 = warp.wgmma_wait %u, %v {pendings = 0 : i32} : tensor<64x16xf32, #c>, tensor<64x16xf16, #c>
  tile.return
}

#a8 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b8 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2], [16, 4], [0, 8]]}>
#a32 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 4], [8, 0], [16, 0], [32, 0]]}>
#b32 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4], [0, 8]]}>

// CHECK-LABEL: @others
tile.func @others(%c: tensor<64x16xf32, #c>, %i: tensor<64x16xi32, #c>, %h: tensor<64x16xf16, #c>) {
  %a = warp.alloc : !warp.shared<64x32xi8, #a8>
  %b = warp.alloc : !warp.shared<32x16xi8, #b8>
  // CHECK: warp.wgmma
  %0 = warp.wgmma %a, %b, %i : !warp.shared<64x32xi8, #a8>, !warp.shared<32x16xi8, #b8>, tensor<64x16xi32, #c>
  %d = warp.alloc : !warp.shared<64x32xf8E4M3FN, #a8>
  %e = warp.alloc : !warp.shared<32x16xf8E5M2, #b8>
  // CHECK: warp.wgmma
  %1 = warp.wgmma %d, %e, %h : !warp.shared<64x32xf8E4M3FN, #a8>, !warp.shared<32x16xf8E5M2, #b8>, tensor<64x16xf16, #c>
  %f = warp.alloc : !warp.shared<64x8xf32, #a32>
  %g = warp.alloc : !warp.shared<8x16xf32, #b32>
  // CHECK: warp.wgmma
  %2 = warp.wgmma %f, %g, %c : !warp.shared<64x8xf32, #a32>, !warp.shared<8x16xf32, #b32>, tensor<64x16xf32, #c>
  // CHECK: warp.proxy_fence
  warp.proxy_fence
  tile.return
}

// CHECK-LABEL: @transposed
tile.func @transposed(%c: tensor<64x16xf32, #c>, %a: !warp.shared<64x16xf16, #a16>, %b: !warp.shared<16x16xf16, #t16>) {
  // CHECK: warp.shared_transpose %{{.*}} {order = array<i32: 1, 0>} : !warp.shared<16x16xf16, #{{.*}}> -> !warp.shared<16x16xf16, #{{.*}}>
  %t = warp.shared_transpose %b {order = array<i32: 1, 0>} : !warp.shared<16x16xf16, #t16> -> !warp.shared<16x16xf16, #b16>
  %s = warp.wgmma %a, %t, %c : !warp.shared<64x16xf16, #a16>, !warp.shared<16x16xf16, #b16>, tensor<64x16xf32, #c>
  tile.return
}

// CHECK-LABEL: @merged
tile.func @merged(%c: tensor<64x16xf32, #c>, %a: !warp.shared<64x16xf16, #a16>, %b: !warp.shared<16x16xf16, #b16>) {
  // CHECK: %[[R:.*]]:2 = warp.wgmma %[[A:.*]], [%[[B:.*]], %[[B]]], [%[[C:.*]], %[[C]]] : !warp.shared<64x16xf16, #{{.*}}>, [!warp.shared<16x16xf16, #{{.*}}>, !warp.shared<16x16xf16, #{{.*}}>], [tensor<64x16xf32, #{{.*}}>, tensor<64x16xf32, #{{.*}}>]
  %s:2 = warp.wgmma %a, [%b, %b], [%c, %c] : !warp.shared<64x16xf16, #a16>, [!warp.shared<16x16xf16, #b16>, !warp.shared<16x16xf16, #b16>], [tensor<64x16xf32, #c>, tensor<64x16xf32, #c>]
  // One dot has no brackets, in any input form.
  // CHECK: warp.wgmma %[[A]], %[[B]], %[[C]] : !warp.shared<64x16xf16, #{{.*}}>, !warp.shared<16x16xf16, #{{.*}}>, tensor<64x16xf32, #{{.*}}>
  %t = warp.wgmma %a, [%b], [%c] : !warp.shared<64x16xf16, #a16>, [!warp.shared<16x16xf16, #b16>], [tensor<64x16xf32, #c>]
  // CHECK: warp.wgmma %[[A]], %[[B]], %[[C]] :
  %u = "warp.wgmma"(%a, %b, %c) {operandSegmentSizes = array<i32: 1, 1, 1>} : (!warp.shared<64x16xf16, #a16>, !warp.shared<16x16xf16, #b16>, tensor<64x16xf32, #c>) -> tensor<64x16xf32, #c>
  tile.return
}

// CHECK-LABEL: @kept
tile.func @kept(%c: tensor<64x16xf32, #c>) {
  // CHECK: warp.acc_decl [8]
  warp.acc_decl [8]
  // CHECK: %[[K:.*]] = warp.acc_store %{{.*}} : tensor<64x16xf32, #[[C:.*]]> -> tensor<64x16xf32, #[[KEPT:.*]]>
  %k = warp.acc_store %c : tensor<64x16xf32, #c> -> tensor<64x16xf32, #warp.pinned<0, #c>>
  // CHECK: warp.acc_load %[[K]] : tensor<64x16xf32, #[[KEPT]]> -> tensor<64x16xf32, #[[C]]>
  %t = warp.acc_load %k : tensor<64x16xf32, #warp.pinned<0, #c>> -> tensor<64x16xf32, #c>
  // CHECK: warp.scale %[[K]], %{{.*}} : tensor<64x16xf32, #[[KEPT]]>, tensor<64x16xf32, #[[C]]>
  %s = warp.scale %k, %t : tensor<64x16xf32, #warp.pinned<0, #c>>, tensor<64x16xf32, #c>
  tile.return
}
