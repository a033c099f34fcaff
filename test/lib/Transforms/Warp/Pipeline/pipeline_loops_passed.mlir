// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=3" -canonicalize -split-input-file | FileCheck %s

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// The entry of the list is computed with the copies' addresses, two iterations
// early. It is forwarded to the iteration that masks with it, neither loaded
// nor computed again.
// CHECK-LABEL: @jump
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[LOADED:[^ ,]*]] = %{{[^,]*}}, %[[OWN:[^ ,]*]] = %{{[^,]*}}, %[[NEXT:[^ ]*]] = %{{[^,)]*}})
// CHECK: warp.ring.wait
// CHECK: %[[FAR:.*]] = arith.muli %[[LOADED]], %c16_i32
// CHECK: warp.async_copy
// CHECK: tile.load
// CHECK-NOT: tile.load
// CHECK-NOT: arith.muli
// CHECK: tile.splat %[[OWN]] : i32
// CHECK: warp.local_load
// CHECK: scf.yield {{.*}}, %[[NEXT]], %[[FAR]] :
tile.func @jump(%p: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %out: tensor<16x16x!tile.ptr<i32>, #rows>, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x16xf16, #rows>) : i32 {
    %q = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %page = tile.load %q : !tile.ptr<i32>
    %jump = arith.muli %page, %c16 : i32
    %at = tile.splat %jump : i32 -> tensor<16x16xi32, #rows>
    %r = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %t = tile.load %r : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %sjump = tile.splat %jump : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sjump : tensor<16x16x!tile.ptr<i32>, #rows>
    %y = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    scf.yield %z : tensor<16x16xf16, #rows>
  }
  tile.return %sum : tensor<16x16xf16, #rows>
}

// -----

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// More scalars would take more registers than it costs to compute them again.
// CHECK-LABEL: @many
// CHECK: scf.for
// CHECK: warp.async_copy
// CHECK-COUNT-2: tile.load
// CHECK: %[[AGAIN:.*]] = arith.muli
// CHECK: tile.splat %[[AGAIN]]
// CHECK: warp.local_load
tile.func @many(%p: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %out: tensor<16x16x!tile.ptr<i32>, #rows>, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x16xf16, #rows>) : i32 {
    %q = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %page = tile.load %q : !tile.ptr<i32>
    %jump = arith.muli %page, %c16 : i32
    %v0 = arith.divsi %jump, %c16 : i32
    %v1 = arith.xori %v0, %c16 : i32
    %v2 = arith.remsi %v1, %c16 : i32
    %v3 = arith.ori %v2, %c16 : i32
    %v4 = arith.addi %v3, %c16 : i32
    %at = tile.splat %v4 : i32 -> tensor<16x16xi32, #rows>
    %r = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %t = tile.load %r : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %sjump = tile.splat %jump : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sjump : tensor<16x16x!tile.ptr<i32>, #rows>
    %sv0 = tile.splat %v0 : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sv0 : tensor<16x16x!tile.ptr<i32>, #rows>
    %sv1 = tile.splat %v1 : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sv1 : tensor<16x16x!tile.ptr<i32>, #rows>
    %sv2 = tile.splat %v2 : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sv2 : tensor<16x16x!tile.ptr<i32>, #rows>
    %sv3 = tile.splat %v3 : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sv3 : tensor<16x16x!tile.ptr<i32>, #rows>
    %sv4 = tile.splat %v4 : i32 -> tensor<16x16xi32, #rows>
    tile.store %out, %sv4 : tensor<16x16x!tile.ptr<i32>, #rows>
    %y = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    scf.yield %z : tensor<16x16xf16, #rows>
  }
  tile.return %sum : tensor<16x16xf16, #rows>
}
