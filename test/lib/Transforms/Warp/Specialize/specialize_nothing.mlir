// RUN: tilewright-opt %s -warp-specialize | FileCheck %s

#l = #warp.linear<{register = [[1024], [2048], [4096], [8192], [16384], [32768]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256], [512]]}>
#i = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0], [0], [0], [0]]}>

// The scratch exceeds shared memory, and there is no ring to shrink. The pass does
// nothing; the allocation reports an error.
// CHECK-LABEL: tile.func @scratch
// CHECK: tile.gather
// CHECK-NOT: warp.specialize
tile.func @scratch(%x: tensor<65536xf32, #l>, %i: tensor<32xi32, #i>) attributes {warp.num_warps = 32 : i32} {
  %0 = tile.gather %x[%i] {axis = 0 : i32} : tensor<65536xf32, #l>, tensor<32xi32, #i> -> tensor<32xf32, #i>
  tile.return
}
