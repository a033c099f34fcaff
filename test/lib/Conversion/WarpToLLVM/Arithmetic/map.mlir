// RUN: tilewright-opt %s --convert-warp-to-llvm | FileCheck %s

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Four registers in groups of two; the third argument is the first element of
// the second operand. Branches are per thread.
// CHECK-LABEL: llvm.func @groups
tile.func @groups(%x: !tile.ptr<i32>, %y: i32, %c: i1) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x1 = tile.splat %x : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #l>
  %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #l>
  %xs = tile.addptr %x1, %r : tensor<128x!tile.ptr<i32>, #l>, tensor<128xi32, #l>
  // CHECK-COUNT-4: %[[V:.*]] = llvm.load
  %v = tile.load %xs : tensor<128x!tile.ptr<i32>, #l>
  %ys = tile.splat %y : i32 -> tensor<128xi32, #l>
  // CHECK-COUNT-2: llvm.mul %{{.*}}, %arg1
  // CHECK: llvm.cond_br %arg2
  // CHECK: llvm.sub
  // CHECK-COUNT-2: llvm.mul %{{.*}}, %arg1
  // CHECK: llvm.cond_br %arg2
  // CHECK: llvm.sub
  // CHECK-NOT: llvm.sub
  %m = "tile.map"(%v, %ys) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32, %d: i32, %e: i32):
    %s = arith.muli %a, %d : i32
    %t = arith.muli %b, %e : i32
    %u = scf.if %c -> i32 {
      %w = arith.subi %t, %e : i32
      scf.yield %w : i32
    } else {
      scf.yield %t : i32
    }
    tile.yield %s, %u : i32, i32
  }) : (tensor<128xi32, #l>, tensor<128xi32, #l>) -> tensor<128xi32, #l>
  tile.store %xs, %m : tensor<128x!tile.ptr<i32>, #l>
  tile.return
}
