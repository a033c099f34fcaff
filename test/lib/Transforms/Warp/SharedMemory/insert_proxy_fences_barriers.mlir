// RUN: tilewright-opt %s -warp-insert-proxy-fences | FileCheck %s

// The barriers decide where a fence stands.

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>

// Between the store and the barrier that the wgmma needs.
// CHECK-LABEL: @stored
// CHECK: warp.local_store
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
// CHECK-NOT: warp.proxy_fence
// CHECK: tile.return
tile.func @stored(%x: tensor<64x32xf16, #rows>, %c: tensor<64x16xf32, #c>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  %b = warp.alloc {warp.shared_offset = 4096 : i32} : !warp.shared<32x16xf16, #b>
  warp.local_store %x, %a : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  warp.barrier
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// No wgmma reads the tile.
// CHECK-LABEL: @read_by_threads
// CHECK-NOT: warp.proxy_fence
// CHECK: tile.return
tile.func @read_by_threads(%x: tensor<64x32xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<64x32xf16, #a>
  warp.local_store %x, %a : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  warp.barrier
  %y = warp.local_load %a : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  tile.return
}
