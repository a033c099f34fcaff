// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>

// Three additions in registers, then only totals move between lanes: five
// shuffles, and one for the prefix of this lane. The last lane of each warp
// writes; the prefix of a thread's elements is added once.
// CHECK-LABEL: llvm.func @sums
tile.func @sums(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %i = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32, #l>
  %v = arith.sitofp %i : tensor<512xi32, #l> to tensor<512xf32, #l>
  // CHECK-COUNT-3: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK-COUNT-6: nvvm.shfl.sync idx
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.b32 [$1], $2;"
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: nvvm.barrier0
  %s = "tile.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) {warp.shared_offset = 0 : i32} : (tensor<512xf32, #l>) -> tensor<512xf32, #l>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>, #l>
  tile.store %ps, %s : tensor<512x!tile.ptr<f32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]]}>

// No element moves along an axis that each thread holds entirely.
// CHECK-NOT: @__tilewright_shared
// CHECK-LABEL: llvm.func @columns
tile.func @columns(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x64x!tile.ptr<i32>, #l>
  %v = tile.load %ps : tensor<8x64x!tile.ptr<i32>, #l>
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: nvvm.barrier
  // CHECK-COUNT-7: llvm.add
  %s = "tile.scan"(%v) <{axis = 0 : i32, reverse}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<8x64xi32, #l>) -> tensor<8x64xi32, #l>
  tile.store %ps, %s : tensor<8x64x!tile.ptr<i32>, #l>
  tile.return
}
