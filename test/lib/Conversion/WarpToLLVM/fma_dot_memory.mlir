// RUN: tilewright-opt %s --convert-warp-to-llvm | FileCheck %s

// Threads hold rows of both operands as they were loaded. Each stores its part
// step by step along the contracted dimension, waits, and reads four steps at a
// time: of `a` one element a step, of `b` two that stand side by side.

#rows = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [1, 0], [2, 0], [4, 0], [0, 0]], warp = []}>
#c = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// CHECK-LABEL: llvm.func @dot
// CHECK: st.shared
// CHECK: nvvm.barrier
// CHECK-NOT: st.shared
// CHECK: llvm.load {{.*}} : !llvm.ptr<3>
// CHECK-COUNT-8: llvm.intr.fma
// CHECK: llvm.load {{.*}} : !llvm.ptr<3>
// CHECK-COUNT-8: llvm.intr.fma
// CHECK-NOT: llvm.intr.fma
tile.func @dot(%pa: !tile.ptr<f32>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32, warp.shared_size = 512 : i32} {
  %ps = tile.splat %pa : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #rows>
  %a = tile.load %ps : tensor<8x8x!tile.ptr<f32>, #rows>
  %zero = arith.constant dense<0.0> : tensor<8x8xf32, #c>
  %d = tile.dot %a, %a, %zero {warp.shared_offset = 0 : i32} : tensor<8x8xf32, #rows>, tensor<8x8xf32, #rows>, tensor<8x8xf32, #c>
  %qs = tile.splat %pc : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #c>
  tile.store %qs, %d : tensor<8x8x!tile.ptr<f32>, #c>
  tile.return
}
