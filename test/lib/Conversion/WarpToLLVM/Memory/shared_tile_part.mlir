// RUN: tilewright-opt %s -convert-warp-to-llvm -canonicalize -cse | FileCheck %s

// Rows of 64 bytes, whose chunks of 16 bytes are permuted by the row.
#along = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 4], [4, 8]]}>
#part = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[1, 0], [2, 0], [4, 0], [0, 0], [0, 0]], warp = []}>

// Four steps of each row at a time. Their start meets the permutation of the
// rows, so it is not a constant offset from the address of the first.
// CHECK-LABEL: llvm.func @along
tile.func @along(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-DAG: %[[C16:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK-DAG: %[[C48:.*]] = llvm.mlir.constant(48 : i32)
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: %[[SECOND:.*]] = llvm.xor %{{.*}}, %[[C16]]
  // CHECK-NEXT: %[[AT:.*]] = llvm.getelementptr %{{.*}}[%[[SECOND]]]
  // CHECK-NEXT: llvm.load %[[AT]] {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK: llvm.xor %{{.*}}, %[[C48]]
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  %m = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<8x16xf32, #along>
  %x = warp.local_load %m {start = array<i64: 0, 0>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %y = warp.local_load %m {start = array<i64: 0, 4>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %z = warp.local_load %m {start = array<i64: 0, 12>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %x : tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %y : tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %z : tensor<8x4x!tile.ptr<f32>, #part>
  tile.return
}

// The part of a row that a thread holds starts inside of a chunk: it is read in
// the widest pieces that stay whole.
#flat = #warp.linear<{offset = [[2], [1], [4], [8]]}>
#pair = #warp.linear<{register = [[1]], lane = [[0], [0], [0], [0], [0]], warp = []}>

// CHECK-LABEL: llvm.func @inside
tile.func @inside(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-NOT: vector
  // CHECK: llvm.getelementptr %{{.*}}[4] : {{.*}} !llvm.ptr<3>, i8
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  // CHECK: llvm.getelementptr %{{.*}}[12] : {{.*}} !llvm.ptr<3>, i8
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> i32
  %m = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16xf32, #flat>
  %x = warp.local_load %m {start = array<i64: 2>} : !warp.shared<16xf32, #flat> -> tensor<2xf32, #pair>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<2x!tile.ptr<f32>, #pair>
  tile.store %q, %x : tensor<2x!tile.ptr<f32>, #pair>
  tile.return
}

// The first part for a second dot is not read before the first dot has ended.
// CHECK-LABEL: llvm.func @second_dot
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
// CHECK-NOT: nvvm.bar.warp.sync
// CHECK: llvm.load %{{.*}} : !llvm.ptr<3>
tile.func @second_dot(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %m = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<8x16xf32, #along>
  %x = warp.local_load %m {dot = 0 : i32, start = array<i64: 0, 0>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %y = warp.local_load %m {dot = 1 : i32, start = array<i64: 0, 0>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %z = warp.local_load %m {dot = 1 : i32, start = array<i64: 0, 4>} : !warp.shared<8x16xf32, #along> -> tensor<8x4xf32, #part>
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %x : tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %y : tensor<8x4x!tile.ptr<f32>, #part>
  tile.store %q, %z : tensor<8x4x!tile.ptr<f32>, #part>
  tile.return
}
