// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

#layout = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [], block = []}>

// Exchanges of a uniform constant are folded. ptxas 13.0 folds them late, and then computes `x + 5` instead of `-5 - x` in
// a maximum with another number.

// CHECK-LABEL: .entry constant(
// CHECK-NOT: shfl
// CHECK-NOT: redux
// CHECK: st.global.b32 [{{.*}}], {{%r[0-9]+}};
// CHECK-NOT: shfl
// CHECK: ret;
tile.func @constant(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %fives = arith.constant dense<-5.000000e+00> : tensor<64xf32, #layout>
  %threes = arith.constant dense<-3> : tensor<64xi32, #layout>
  %x = tile.load %p : !tile.ptr<i32>
  %most = "tile.reduce"(%fives) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.maxnumf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32, #layout>) -> f32
  %least = "tile.reduce"(%threes) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.minsi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<64xi32, #layout>) -> i32
  %five = arith.fptosi %most : f32 to i32
  %rest = arith.subi %five, %x : i32
  %more = arith.maxsi %rest, %least : i32
  tile.store %p, %more : !tile.ptr<i32>
  tile.return
}

// A uniform value that is unknown is not folded, nor is a sum over 32 lanes.

// CHECK-LABEL: .entry unknown(
// CHECK: redux.sync.max.s32
// CHECK: redux.sync.add.s32
// CHECK: ret;
tile.func @unknown(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %threes = arith.constant dense<-3> : tensor<64xi32, #layout>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #layout>
  %i = tile.range {end = 64 : i32, start = 0 : i32} : tensor<64xi32, #layout>
  %at = tile.addptr %ps, %i : tensor<64x!tile.ptr<i32>, #layout>, tensor<64xi32, #layout>
  %x = tile.load %at : tensor<64x!tile.ptr<i32>, #layout>
  %most = "tile.reduce"(%x) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxsi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<64xi32, #layout>) -> i32
  %sum = "tile.reduce"(%threes) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<64xi32, #layout>) -> i32
  tile.store %p, %most : !tile.ptr<i32>
  tile.store %p, %sum : !tile.ptr<i32>
  tile.return
}
