// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

#layout = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>

// ptxas 13.0 uses the wrong predicate for `redux.sync` if it converts a branch to predicated instructions.

// CHECK-LABEL: .entry in_branch(
// CHECK: redux.sync.add.s32
// CHECK: bra
// CHECK-NOT: redux
// CHECK-COUNT-5: shfl.sync.bfly.b32
// CHECK-NOT: redux
// CHECK: ret;
tile.func @in_branch(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %i = tile.range {end = 32 : i32, start = 0 : i32} : tensor<32xi32, #layout>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<32x!tile.ptr<i32>, #layout>
  %at = tile.addptr %ps, %i : tensor<32x!tile.ptr<i32>, #layout>, tensor<32xi32, #layout>
  %x = tile.load %at : tensor<32x!tile.ptr<i32>, #layout>
  %sum = "tile.reduce"(%x) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<32xi32, #layout>) -> i32
  %more = arith.cmpi sgt, %sum, %n : i32
  scf.if %more {
    %y = arith.muli %x, %x : tensor<32xi32, #layout>
    %squares = "tile.reduce"(%y) <{axis = 0 : i32, commutes}> ({
    ^bb0(%a: i32, %b: i32):
      %c = arith.addi %a, %b : i32
      tile.yield %c : i32
    }) : (tensor<32xi32, #layout>) -> i32
    tile.store %p, %squares : !tile.ptr<i32>
  }
  tile.return
}
