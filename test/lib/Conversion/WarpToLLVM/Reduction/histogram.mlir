// RUN: tilewright-opt %s --convert-warp-to-llvm | FileCheck %s

#x = #warp.linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
#h = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = [[0]]}>

// Counts start at zero; each element adds one if its mask is true and it is in
// range, in the first of the warps that hold copies.
// CHECK-LABEL: llvm.func @histogram
tile.func @histogram(%x: i32, %m: i1, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %v = tile.splat %x : i32 -> tensor<64xi32, #x>
  %ms = tile.splat %m : i1 -> tensor<64xi1, #x>
  // CHECK: st.shared.b32
  // CHECK: nvvm.barrier0
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK: %[[SIZE:.*]] = llvm.mlir.constant(16 : i32)
  // CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %arg0, %[[SIZE]]
  // CHECK: %[[MASKED:.*]] = llvm.and %[[INSIDE]], %arg1
  // CHECK: %[[COUNTED:.*]] = llvm.and %[[MASKED]], %[[OWNER]]
  // CHECK: llvm.inline_asm has_side_effects "@$0 red.shared.add.u32 [$1], 1;", "b,r" %[[COUNTED]]
  // CHECK: red.shared.add.u32
  // CHECK-NOT: red.shared.add.u32
  // CHECK: nvvm.barrier0
  // CHECK: nvvm.ldmatrix
  %h = tile.histogram %v, %ms {warp.shared_offset = 0 : i32} : tensor<64xi32, #x> -> tensor<16xi32, #h>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>, #h>
  tile.store %ps, %h : tensor<16x!tile.ptr<i32>, #h>
  tile.return
}
