// RUN: tilewright-opt %s -warp-bind-tensor-maps | FileCheck %s

// The element type of the map of a reduction tells how elements compare. A store
// without a reduction copies bits and shares the map of signed integers.

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}>
// CHECK-LABEL: @reductions
// CHECK-SAME: %[[SIGNED:[a-z0-9]+]]: !warp.tensor_map, %[[UNSIGNED:[a-z0-9]+]]: !warp.tensor_map
// CHECK-SAME: warp.tensor_maps = [{argument = 2 : i32, {{.*}} element = i32, {{.*}}}, {argument = 3 : i32, {{.*}} element = ui32,
// CHECK: warp.tma_store %{{.*}}, %[[SIGNED]][{{.*}} reduce max
// CHECK: warp.tma_store %{{.*}}, %[[UNSIGNED]][{{.*}} reduce umax
// CHECK: warp.tma_store %{{.*}}, %[[UNSIGNED]][{{.*}} reduce add
// CHECK: warp.tma_store %{{.*}}, %[[SIGNED]][
tile.func @reductions(%a: !tile.ptr<i32>, %n: i64) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1> : tensor<32x8xi32, #rows>
  %i = tile.program_id x
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x8xi32>, !tile.ptr<i32>
  %s = warp.alloc : !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %d[%i, %i] through %s reduce max
      : tensor<32x8xi32, #rows>, !tile.desc<32x8xi32>, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %d[%i, %i] through %s reduce umax
      : tensor<32x8xi32, #rows>, !tile.desc<32x8xi32>, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %d[%i, %i] through %s reduce add
      : tensor<32x8xi32, #rows>, !tile.desc<32x8xi32>, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %d[%i, %i] through %s
      : tensor<32x8xi32, #rows>, !tile.desc<32x8xi32>, !warp.shared<1024xi8, #bytes>
  warp.tma_store_wait %s : !warp.shared<1024xi8, #bytes>
  tile.return
}
