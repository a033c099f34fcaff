// RUN: tilewright-opt %s -convert-tile-to-warp="compute-capability=80 num-warps=1" | FileCheck %s

// One warp could move operands by shuffles. Loads in a loop still go through shared memory if they exceed a few words
// per thread. They can then be prefetched and read by ldmatrix.
// CHECK-LABEL: @large
// CHECK: scf.for
// CHECK: tile.load
// CHECK: warp.alloc
// CHECK: warp.local_load
// CHECK: tile.load
// CHECK: warp.alloc
// CHECK: warp.local_load
// CHECK: warp.mma
tile.func @large(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %size = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %starts = arith.muli %rows, %size : tensor<64x1xi32>
  %down = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %across = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %down, %across : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp = tile.addptr %bs, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %sum = scf.for %i = %zero to %k step %one iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %x = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %s = tile.dot %x, %y, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %s : tensor<64x64xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %cs, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: @small
// CHECK-NOT: warp.alloc
// CHECK-COUNT-2: warp.convert_layout
// CHECK: warp.mma
tile.func @small(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %k: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<16x16xf32>
  %size = arith.constant dense<16> : tensor<16x1xi32>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %r {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %starts = arith.muli %rows, %size : tensor<16x1xi32>
  %down = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x16xi32>
  %across = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %at = arith.addi %down, %across : tensor<16x16xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %ap = tile.addptr %as, %at : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %bp = tile.addptr %bs, %at : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %sum = scf.for %i = %zero to %k step %one iter_args(%acc = %none) -> (tensor<16x16xf32>) : i32 {
    %x = tile.load %ap : tensor<16x16x!tile.ptr<f16>>
    %y = tile.load %bp : tensor<16x16x!tile.ptr<f16>>
    %s = tile.dot %x, %y, %acc : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
    scf.yield %s : tensor<16x16xf32>
  }
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %cs, %sum : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
