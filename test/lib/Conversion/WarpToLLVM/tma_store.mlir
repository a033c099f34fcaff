// RUN: tilewright-opt %s -warp-allocate-shared | FileCheck %s --check-prefix=SHARED
// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   | FileCheck %s

// Three or more panels of 128 bytes go through two pieces of memory in turn: the
// third waits until the first one's copy has been read.

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]],
                      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
// SHARED-LABEL: @panels
// SHARED-SAME: warp.shared_size = 8192
// CHECK-LABEL: llvm.func @panels
// CHECK-COUNT-8: llvm.store %{{.*}} : vector<4xi32>, !llvm.ptr<3>
// CHECK-NOT: llvm.store
// CHECK: fence.proxy.async.shared::cta;
// CHECK-NEXT: nvvm.barrier
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group [$1, {$3, $4}], [$2];
// CHECK: cp.async.bulk.commit_group;
// CHECK-NOT: wait_group
// CHECK: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 1;
// CHECK-NEXT: nvvm.barrier
// CHECK: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 1;
// CHECK: cp.async.bulk.tensor.2d
// CHECK: cp.async.bulk.wait_group.read 0;
tile.func @panels(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #rows>
  warp.tma_store %x, %map[%i, %i] : tensor<32x128xf32, #rows>, !warp.tensor_map
  tile.return
}

// Where lanes hold columns of several panels, all are stored at once.

#columns = #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [0, 2]],
                         lane = [[0, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}>
// SHARED-LABEL: @at_once
// SHARED-SAME: warp.shared_size = 16384
// CHECK-LABEL: llvm.func @at_once
// CHECK: fence.proxy.async
// CHECK-COUNT-4: cp.async.bulk.tensor.3d.global
// CHECK: cp.async.bulk.commit_group;
// CHECK-NOT: cp.async.bulk.tensor
// CHECK: cp.async.bulk.wait_group.read 0;
tile.func @at_once(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x128xf32, #columns>
  warp.tma_store %x, %map[%i, %i, %i] : tensor<32x128xf32, #columns>, !warp.tensor_map
  tile.return
}
