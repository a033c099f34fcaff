// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=2" | FileCheck %s

// If tiles take most registers, reads of a slot sink to their users.

#wide = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [8, 0], [16, 0], [32, 0], [0, 32]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>

// 128 registers of accumulators, as many again for their double, 64 of the
// slot.
// CHECK-LABEL: @crowded
// CHECK: scf.for
// CHECK: %[[TILE:.*]] = warp.ring.wait
// CHECK: %[[TWICE:.*]] = arith.addf
// CHECK: warp.local_load
// CHECK-NEXT: arith.extf
// CHECK: warp.ring.release
tile.func @crowded(%p: tensor<64x64x!tile.ptr<f16>, #wide>, %n: i32) -> tensor<64x64xf32, #wide> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #wide>
  %zeros = arith.constant dense<0> : tensor<64x64xi32, #wide>
  %q = tile.addptr %p, %zeros {tile.contiguity = array<i32: 1, 64>, tile.divisibility = array<i32: 16, 16>} : tensor<64x64x!tile.ptr<f16>, #wide>, tensor<64x64xi32, #wide>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32, #wide>) : i32 {
    %t = tile.load %q : tensor<64x64x!tile.ptr<f16>, #wide>
    %s = warp.alloc %t : (tensor<64x64xf16, #wide>) -> !warp.shared<64x64xf16, #plain>
    %y = warp.local_load %s : !warp.shared<64x64xf16, #plain> -> tensor<64x64xf16, #wide>
    %twice = arith.addf %x, %x : tensor<64x64xf32, #wide>
    %z = arith.extf %y : tensor<64x64xf16, #wide> to tensor<64x64xf32, #wide>
    %next = arith.addf %twice, %z : tensor<64x64xf32, #wide>
    scf.yield %next : tensor<64x64xf32, #wide>
  }
  tile.return %sum : tensor<64x64xf32, #wide>
}

// Four warps have a quarter of the tile each: it is read early.
#narrow = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [8, 0], [0, 32]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>

// CHECK-LABEL: @roomy
// CHECK: scf.for
// CHECK: warp.ring.wait
// CHECK: warp.local_load
// CHECK-NEXT: arith.addf
tile.func @roomy(%p: tensor<64x64x!tile.ptr<f16>, #narrow>, %n: i32) -> tensor<64x64xf32, #narrow> attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32, #narrow>
  %zeros = arith.constant dense<0> : tensor<64x64xi32, #narrow>
  %q = tile.addptr %p, %zeros {tile.contiguity = array<i32: 1, 64>, tile.divisibility = array<i32: 16, 16>} : tensor<64x64x!tile.ptr<f16>, #narrow>, tensor<64x64xi32, #narrow>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<64x64xf32, #narrow>) : i32 {
    %t = tile.load %q : tensor<64x64x!tile.ptr<f16>, #narrow>
    %s = warp.alloc %t : (tensor<64x64xf16, #narrow>) -> !warp.shared<64x64xf16, #plain>
    %y = warp.local_load %s : !warp.shared<64x64xf16, #plain> -> tensor<64x64xf16, #narrow>
    %twice = arith.addf %x, %x : tensor<64x64xf32, #narrow>
    %z = arith.extf %y : tensor<64x64xf16, #narrow> to tensor<64x64xf32, #narrow>
    %next = arith.addf %twice, %z : tensor<64x64xf32, #narrow>
    scf.yield %next : tensor<64x64xf32, #narrow>
  }
  tile.return %sum : tensor<64x64xf32, #narrow>
}

// Values computed element by element are never live as a whole tile.
// CHECK-LABEL: @by_element
// CHECK: scf.for
// CHECK: warp.ring.wait
// CHECK: warp.local_load
// CHECK: arith.addf
// CHECK: arith.extf
// CHECK: tile.store
tile.func @by_element(%p: tensor<64x64x!tile.ptr<f16>, #wide>, %x: f32, %o: tensor<64x64x!tile.ptr<f32>, #wide>, %n: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zeros = arith.constant dense<0> : tensor<64x64xi32, #wide>
  %q = tile.addptr %p, %zeros {tile.contiguity = array<i32: 1, 64>, tile.divisibility = array<i32: 16, 16>} : tensor<64x64x!tile.ptr<f16>, #wide>, tensor<64x64xi32, #wide>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %q : tensor<64x64x!tile.ptr<f16>, #wide>
    %s = warp.alloc %t : (tensor<64x64xf16, #wide>) -> !warp.shared<64x64xf16, #plain>
    %y = warp.local_load %s : !warp.shared<64x64xf16, #plain> -> tensor<64x64xf16, #wide>
    %all = tile.splat %x : f32 -> tensor<64x64xf32, #wide>
    %twice = arith.addf %all, %all : tensor<64x64xf32, #wide>
    %z = arith.extf %y : tensor<64x64xf16, #wide> to tensor<64x64xf32, #wide>
    %sum = arith.addf %twice, %z : tensor<64x64xf32, #wide>
    %scaled = arith.mulf %sum, %z : tensor<64x64xf32, #wide>
    tile.store %o, %scaled : tensor<64x64x!tile.ptr<f32>, #wide>
  }
  tile.return
}
