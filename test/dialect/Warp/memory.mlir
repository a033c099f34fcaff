// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#swizzled = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2], [4, 0], [8, 2]]}>
// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{register
// CHECK-DAG: #[[SHARED:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 2], [4, 0], [8, 2]]}>
// CHECK-DAG: #[[PANEL:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 4], [2, 8], [4, 16]]}>
// CHECK-DAG: #[[ROWS2:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
// CHECK-DAG: #[[ROWS3:.*]] = #warp.linear<{offset = {{\[\[}}0, 0, 1], [0, 0, 2], [0, 1, 0], [1, 0, 0]]}>

// CHECK-LABEL: @round_trip
// CHECK-SAME: %[[X:.*]]: tensor<16x4xf16, #[[ROWS]]>
tile.func @round_trip(%x: tensor<16x4xf16, #rows>) -> tensor<16x4xf16, #rows> {
  // CHECK: %[[M:.*]] = warp.alloc : !warp.shared<16x4xf16, #[[SHARED]]>
  %m = warp.alloc : !warp.shared<16x4xf16, #swizzled>
  // CHECK: warp.local_store %[[X]], %[[M]] : tensor<16x4xf16, #[[ROWS]]> -> !warp.shared<16x4xf16, #[[SHARED]]>
  warp.local_store %x, %m : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #swizzled>
  // CHECK: warp.barrier
  warp.barrier
  // CHECK: warp.barrier release gpu
  warp.barrier release gpu
  // CHECK: warp.local_load %[[M]] : !warp.shared<16x4xf16, #[[SHARED]]> -> tensor<16x4xf16, #[[ROWS]]>
  %y = warp.local_load %m : !warp.shared<16x4xf16, #swizzled> -> tensor<16x4xf16, #rows>
  tile.return %y : tensor<16x4xf16, #rows>
}

// CHECK-LABEL: @part
tile.func @part(%m: !warp.shared<8x32xf32>) -> tensor<8x8xf32> {
  // CHECK: warp.local_load %{{.*}} {start = array<i64: 0, 24>} : !warp.shared<8x32xf32, #[[PANEL]]> -> tensor<8x8xf32>
  %x = warp.local_load %m {start = array<i64: 0, 24>} : !warp.shared<8x32xf32> -> tensor<8x8xf32>
  tile.return %x : tensor<8x8xf32>
}

// CHECK-LABEL: @filled
// CHECK-SAME: %[[X:.*]]: tensor
tile.func @filled(%x: tensor<16x4x!tile.ptr<i8>, #rows>) {
  // CHECK: warp.alloc %[[X]] {warp.shared_offset = 128 : i32} : (tensor<16x4x!tile.ptr<i8>, #[[ROWS]]>) -> !warp.shared<16x4x!tile.ptr<i8>, #[[SHARED]]>
  %m = warp.alloc %x {warp.shared_offset = 128 : i32} : (tensor<16x4x!tile.ptr<i8>, #rows>) -> !warp.shared<16x4x!tile.ptr<i8>, #swizzled>
  tile.return
}

// Without a layout in the text a tile has the layout of TMA: matrices of a multiple of 8 rows are swizzled, other tiles
// are in row-major order.
// CHECK-LABEL: @default
// CHECK-SAME: (%{{.*}}: !warp.shared<8x32xf32, #[[PANEL]]>, %{{.*}}: !warp.shared<2x2x4xf32, #[[ROWS3]]>, %{{.*}}: !warp.shared<4x8xf32, #[[ROWS2]]>)
tile.func @default(%a: !warp.shared<8x32xf32>, %b: !warp.shared<2x2x4xf32>, %c: !warp.shared<4x8xf32>) {
  tile.return
}

// Before tiles have layouts.
// CHECK-LABEL: @early
tile.func @early(%x: tensor<8x32xf32>) -> tensor<8x32xf32> {
  %m = warp.alloc : !warp.shared<8x32xf32>
  // CHECK: warp.local_store %{{.*}}, %{{.*}} : tensor<8x32xf32> -> !warp.shared<8x32xf32, #[[PANEL]]>
  warp.local_store %x, %m : tensor<8x32xf32> -> !warp.shared<8x32xf32>
  // CHECK: warp.local_load %{{.*}} : !warp.shared<8x32xf32, #[[PANEL]]> -> tensor<8x32xf32>
  %y = warp.local_load %m : !warp.shared<8x32xf32> -> tensor<8x32xf32>
  tile.return %y : tensor<8x32xf32>
}

// The same memory of another CTA of the cluster.
// CHECK-LABEL: @remote
tile.func @remote(%x: tensor<16x4xf16, #rows>, %rank: i32) -> tensor<16x4xf16, #rows> {
  // CHECK: %[[M:.*]] = warp.alloc {cluster = 2 : i32} : !warp.shared<16x4xf16, #[[SHARED]]>
  %m = warp.alloc {cluster = 2 : i32} : !warp.shared<16x4xf16, #swizzled>
  warp.local_store %x, %m : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #swizzled>
  warp.cluster_barrier
  // CHECK: warp.remote_load %[[M]] of %{{.*}} : !warp.shared<16x4xf16, #[[SHARED]]> -> tensor<16x4xf16, #[[ROWS]]>
  %y = warp.remote_load %m of %rank : !warp.shared<16x4xf16, #swizzled> -> tensor<16x4xf16, #rows>
  warp.cluster_barrier
  tile.return %y : tensor<16x4xf16, #rows>
}

// Every role passes the barriers of the cluster.
// CHECK-LABEL: @roles
tile.func @roles() {
  // CHECK-COUNT-2: warp.cluster_barrier
  warp.specialize warps [4, 1] {
    warp.cluster_barrier
  }, {
    warp.cluster_barrier
  }
  tile.return
}

#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
#columns = #warp.linear<{lane = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>

// CHECK-LABEL: @stored
tile.func @stored(%x: tensor<4x8xf32, #columns>, %map: !warp.tensor_map, %i: i32) {
  // CHECK: %[[S:.*]] = warp.alloc
  %s = warp.alloc : !warp.shared<128xi8, #bytes>
  // CHECK: warp.tma_store %{{.*}}, %{{.*}}[%{{.*}}, %{{.*}}] through %[[S]] : tensor<4x8xf32
  warp.tma_store %x, %map[%i, %i] through %s
    : tensor<4x8xf32, #columns>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  // CHECK: warp.tma_store %{{.*}} through %[[S]] reduce fadd : tensor<4x8xf32
  warp.tma_store %x, %map[%i, %i, %i] through %s reduce fadd
    : tensor<4x8xf32, #columns>, !warp.tensor_map, !warp.shared<128xi8, #bytes>
  // CHECK: warp.tma_store_wait %[[S]] : <128xi8
  warp.tma_store_wait %s : !warp.shared<128xi8, #bytes>
  tile.return
}
