// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=89 --split-input-file | FileCheck %s

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0], [16, 0], [0, 8]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0]]}>

// Two atoms of the result, two steps along k.
// CHECK-LABEL: llvm.func @half
tile.func @half(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %a1 = tile.splat %pa : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #a>
  %b1 = tile.splat %pb : !tile.ptr<f16> -> tensor<32x16x!tile.ptr<f16>, #b>
  %c1 = tile.splat %pc : !tile.ptr<f32> -> tensor<32x16x!tile.ptr<f32>, #c>
  %a = tile.load %a1 : tensor<32x32x!tile.ptr<f16>, #a>
  %b = tile.load %b1 : tensor<32x16x!tile.ptr<f16>, #b>
  %c = tile.load %c1 : tensor<32x16x!tile.ptr<f32>, #c>
  // CHECK-COUNT-4: llvm.inline_asm "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {$0, $1, $2, $3}, {$4, $5, $6, $7}, {$8, $9}, {$10, $11, $12, $13};", "=f,=f,=f,=f,r,r,r,r,r,r,f,f,f,f"
  // CHECK-NOT: mma.sync
  %d = warp.mma %a, %b, %c : tensor<32x32xf16, #a>, tensor<32x16xf16, #b>, tensor<32x16xf32, #c>
  tile.store %c1, %d : tensor<32x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[8, 0], [0, 4]], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[4, 0]], lane = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// The instruction itself truncates operands to tf32.
// CHECK-LABEL: llvm.func @tf32
tile.func @tf32(%pa: !tile.ptr<f32>, %pb: !tile.ptr<f32>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a1 = tile.splat %pa : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #a>
  %b1 = tile.splat %pb : !tile.ptr<f32> -> tensor<8x8x!tile.ptr<f32>, #b>
  %c1 = tile.splat %pc : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  %a = tile.load %a1 : tensor<16x8x!tile.ptr<f32>, #a>
  %b = tile.load %b1 : tensor<8x8x!tile.ptr<f32>, #b>
  %c = tile.load %c1 : tensor<16x8x!tile.ptr<f32>, #c>
  // CHECK-NOT: cvt
  // CHECK: mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32
  %d = warp.mma %a, %b, %c : tensor<16x8xf32, #a>, tensor<8x8xf32, #b>, tensor<16x8xf32, #c>
  tile.store %c1, %d : tensor<16x8x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 1], [0, 2], [8, 0], [0, 16]], lane = [[0, 4], [0, 8], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0], [2, 0], [16, 0]], lane = [[4, 0], [8, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// CHECK-LABEL: llvm.func @bytes
tile.func @bytes(%a: !tile.ptr<f8E4M3FN>, %b: !tile.ptr<f8E5M2>, %z: !tile.ptr<f32>, %i: i8, %s: i32, %j: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a0 = tile.load %a : !tile.ptr<f8E4M3FN>
  %b0 = tile.load %b : !tile.ptr<f8E5M2>
  %a1 = tile.splat %a0 : f8E4M3FN -> tensor<16x32xf8E4M3FN, #a>
  %b1 = tile.splat %b0 : f8E5M2 -> tensor<32x8xf8E5M2, #b>
  %c1 = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  // CHECK: mma.sync.aligned.m16n8k32.row.col.f32.e4m3.e5m2.f32
  %d = warp.mma %a1, %b1, %c1 : tensor<16x32xf8E4M3FN, #a>, tensor<32x8xf8E5M2, #b>, tensor<16x8xf32, #c>
  %p = tile.splat %z : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  tile.store %p, %d : tensor<16x8x!tile.ptr<f32>, #c>
  %i1 = tile.splat %i : i8 -> tensor<16x32xi8, #a>
  %i2 = tile.splat %i : i8 -> tensor<32x8xi8, #b>
  %i3 = tile.splat %s : i32 -> tensor<16x8xi32, #c>
  // CHECK: mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32
  %e = warp.mma %i1, %i2, %i3 : tensor<16x32xi8, #a>, tensor<32x8xi8, #b>, tensor<16x8xi32, #c>
  %q = tile.splat %j : !tile.ptr<i32> -> tensor<16x8x!tile.ptr<i32>, #c>
  tile.store %q, %e : tensor<16x8x!tile.ptr<i32>, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 0, 1], [0, 8, 0], [0, 0, 8], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>
#b = #warp.linear<{register = [[0, 1, 0], [0, 8, 0], [2, 0, 0]], lane = [[0, 2, 0], [0, 4, 0], [0, 0, 1], [0, 0, 2], [0, 0, 4]], warp = [[1, 0, 0]]}>
#c = #warp.linear<{register = [[0, 0, 1], [0, 8, 0], [2, 0, 0]], lane = [[0, 0, 2], [0, 0, 4], [0, 1, 0], [0, 2, 0], [0, 4, 0]], warp = [[1, 0, 0]]}>

// Two dots per warp, one instruction each, with separate registers.
// CHECK-LABEL: llvm.func @batch
tile.func @batch(%pa: f16, %pb: f16, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %a = tile.splat %pa : f16 -> tensor<4x16x16xf16, #a>
  %b = tile.splat %pb : f16 -> tensor<4x16x8xf16, #b>
  %sc = tile.splat %pc : !tile.ptr<f32> -> tensor<4x16x8x!tile.ptr<f32>, #c>
  %rc = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #warp.linear<{register = [[1], [64], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[128]]}>>
  %oc = tile.reshape %rc : tensor<512xi32, #warp.linear<{register = [[1], [64], [256]], lane = [[2], [4], [8], [16], [32]], warp = [[128]]}>> -> tensor<4x16x8xi32, #c>
  %c1 = tile.addptr %sc, %oc : tensor<4x16x8x!tile.ptr<f32>, #c>, tensor<4x16x8xi32, #c>
  %c = tile.load %c1 : tensor<4x16x8x!tile.ptr<f32>, #c>
  // CHECK-COUNT-8: %[[C:.*]] = llvm.load
  // CHECK-COUNT-2: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
  // CHECK-NOT: mma.sync
  %d = warp.mma %a, %b, %c : tensor<4x16x16xf16, #a>, tensor<4x16x8xf16, #b>, tensor<4x16x8xf32, #c>
  tile.store %c1, %d : tensor<4x16x8x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>
#b = #warp.linear<{register = [[1, 0], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]], warp = []}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = []}>

// One accumulator atom and eight dependent steps: four partial accumulators are used in turn. The first one starts from
// the given accumulator, and all are added up by pairs.
// CHECK-LABEL: llvm.func @parts
// CHECK: %[[S0:.*]] = llvm.inline_asm "mma.sync
// CHECK: %[[E0:.*]] = llvm.extractvalue %[[S0]][0]
// CHECK: %[[Z1:.*]] = llvm.mlir.zero : f32
// CHECK-NEXT: llvm.inline_asm "mma.sync{{.*}} %[[Z1]], %[[Z1]], %[[Z1]], %[[Z1]] : (
// CHECK: %[[Z2:.*]] = llvm.mlir.zero : f32
// CHECK-NEXT: llvm.inline_asm "mma.sync{{.*}} %[[Z2]], %[[Z2]], %[[Z2]], %[[Z2]] : (
// CHECK: %[[Z3:.*]] = llvm.mlir.zero : f32
// CHECK-NEXT: llvm.inline_asm "mma.sync{{.*}} %[[Z3]], %[[Z3]], %[[Z3]], %[[Z3]] : (
// CHECK: llvm.inline_asm "mma.sync{{.*}} %[[E0]],
// CHECK-COUNT-3: llvm.inline_asm "mma.sync
// CHECK-NOT: mma.sync
// CHECK-COUNT-4: llvm.fadd
// CHECK-COUNT-4: llvm.fadd
// CHECK-COUNT-4: llvm.fadd
// CHECK-NOT: llvm.fadd
tile.func @parts(%pa: !tile.ptr<f16>, %pb: !tile.ptr<f16>, %pc: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a1 = tile.splat %pa : !tile.ptr<f16> -> tensor<16x128x!tile.ptr<f16>, #a>
  %b1 = tile.splat %pb : !tile.ptr<f16> -> tensor<128x8x!tile.ptr<f16>, #b>
  %c1 = tile.splat %pc : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  %a = tile.load %a1 : tensor<16x128x!tile.ptr<f16>, #a>
  %b = tile.load %b1 : tensor<128x8x!tile.ptr<f16>, #b>
  %c = tile.load %c1 : tensor<16x8x!tile.ptr<f32>, #c>
  %d = warp.mma %a, %b, %c : tensor<16x128xf16, #a>, tensor<128x8xf16, #b>, tensor<16x8xf32, #c>
  tile.store %c1, %d : tensor<16x8x!tile.ptr<f32>, #c>
  tile.return
}
