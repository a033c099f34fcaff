// RUN: tilewright-opt %s --convert-warp-to-llvm | FileCheck %s

#x = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0]]}>
#i = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0]]}>

// The source is stored in vectors, row by row; each thread reads the elements
// at its indices, clamped to the last one.
// CHECK-LABEL: llvm.func @gather
tile.func @gather(%x: f32, %i: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %v = tile.splat %x : f32 -> tensor<8x32xf32, #x>
  %n = tile.splat %i : i32 -> tensor<2x32xi32, #i>
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 16 : i64} : vector<4xi32>, !llvm.ptr<3>
  // CHECK: nvvm.barrier0
  // CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK-DAG: %[[INSIDE:.*]] = llvm.intr.umin(%{{.*}}, %[[LAST]])
  // CHECK-DAG: %[[ROW:.*]] = llvm.mlir.constant(128 : i32)
  // CHECK-DAG: llvm.mul %[[INSIDE]], %[[ROW]]
  // CHECK: llvm.load %{{.*}} {alignment = 4 : i64} : !llvm.ptr<3> -> vector<1xi32>
  %g = tile.gather %v[%n] {axis = 0 : i32, warp.shared_offset = 0 : i32} : tensor<8x32xf32, #x>, tensor<2x32xi32, #i> -> tensor<2x32xf32, #i>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<2x32x!tile.ptr<f32>, #i>
  tile.store %ps, %g : tensor<2x32x!tile.ptr<f32>, #i>
  tile.return
}
