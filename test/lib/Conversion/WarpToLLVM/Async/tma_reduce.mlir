// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   | FileCheck %s

// Each kind has its own instruction to reduce blocks; the element type is in the map.

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}>
// CHECK-LABEL: llvm.func @reductions
// CHECK: "@$0 cp.reduce.async.bulk.tensor.2d.global.shared::cta.add.tile.bulk_group [$1, {$3, $4}], [$2];"
// CHECK: cp.reduce.async.bulk.tensor.3d.global.shared::cta.add.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.max.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.min.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.and.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.or.tile.bulk_group
// CHECK: cp.reduce.async.bulk.tensor.2d.global.shared::cta.xor.tile.bulk_group
// CHECK: "@$0 cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK-NOT: cp.reduce
tile.func @reductions(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %f = arith.constant dense<1.0> : tensor<32x8xf32, #rows>
  %x = arith.constant dense<1> : tensor<32x8xi32, #rows>
  %s = warp.alloc : !warp.shared<1024xi8, #bytes>
  warp.tma_store %f, %map[%i, %i] through %s reduce fadd
      : tensor<32x8xf32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i, %i] through %s reduce add
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce umax
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce umin
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce min
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce and
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce or
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s reduce xor
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store %x, %map[%i, %i] through %s
      : tensor<32x8xi32, #rows>, !warp.tensor_map, !warp.shared<1024xi8, #bytes>
  warp.tma_store_wait %s : !warp.shared<1024xi8, #bytes>
  tile.return
}
