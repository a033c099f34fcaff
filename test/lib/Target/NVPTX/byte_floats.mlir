// RUN: tilewright-opt %s --warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// Each constant that an instruction on 8-bit floats reads has a register of its
// own. Other constants do not, and accumulators may share one.

#a = #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// CHECK-LABEL: .entry zeros(
tile.func @zeros(%a: !tile.ptr<f8E4M3FN>, %z: !tile.ptr<f32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a0 = tile.load %a : !tile.ptr<f8E4M3FN>
  %a1 = tile.splat %a0 : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a>
  %b1 = arith.constant dense<0.0> : tensor<32x8xf8E4M3FN, #b>
  %c1 = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // CHECK: begin inline asm
  // CHECK-NEXT: mov.b32 [[FIRST:%r[0-9]+]], 0;
  // CHECK: mov.b32 [[SECOND:%r[0-9]+]], 0;
  // CHECK: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e4m3.f32
  // CHECK-SAME: {[[A:%r[0-9]+]], [[A]], [[A]], [[A]]}, {[[FIRST]], [[SECOND]]}
  %d = warp.mma %a1, %b1, %c1 : tensor<16x32xf8E4M3FN, #a>, tensor<32x8xf8E4M3FN, #b>, tensor<16x8xf32, #c>
  %z1 = tile.splat %z : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  tile.store %z1, %d : tensor<16x8x!tile.ptr<f32>, #c>
  tile.return
}
