// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s

// CHECK: #[[ROWS:.*]] = #warp.linear<{register = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 1], [0, 2]]

// If nothing else decides about the load, lanes lie along the stride that is probably the shortest.
// CHECK-LABEL: tile.func @summed
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[ROWS]]>
tile.func @summed(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %m: i32, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %s = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %s {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tile.splat %m : i32 -> tensor<32x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %starts = arith.muli %rows, %ms : tensor<32x1xi32>
  %steps = arith.muli %columns, %ns : tensor<1x64xi32>
  %x = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %y = tile.broadcast %steps : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %x, %y : tensor<32x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %v = tile.load %q : tensor<32x64x!tile.ptr<f16>>
  %d = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s2 = arith.addf %a, %b : f16
    tile.yield %s2 : f16
  }) : (tensor<32x64xf16>) -> tensor<64xf16>
  %os = tile.splat %out : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %oq = tile.addptr %os, %s : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  tile.store %oq, %d : tensor<64x!tile.ptr<f16>>
  tile.return
}

// A tile that a store of neighbours takes is loaded in the layout of the store: a guess is not worth an exchange.
// CHECK-LABEL: tile.func @copied
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[L:.*]]>
// CHECK: tile.store {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[L]]>
tile.func @copied(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                  %m: i32, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %s = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %columns = tile.expand_dims %s {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ms = tile.splat %m : i32 -> tensor<32x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %starts = arith.muli %rows, %ms : tensor<32x1xi32>
  %steps = arith.muli %columns, %ns : tensor<1x64xi32>
  %x = tile.broadcast %starts : tensor<32x1xi32> -> tensor<32x64xi32>
  %y = tile.broadcast %steps : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %x, %y : tensor<32x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %v = tile.load %q : tensor<32x64x!tile.ptr<f16>>
  %c64 = arith.constant dense<64> : tensor<32x1xi32>
  %lines = arith.muli %rows, %c64 : tensor<32x1xi32>
  %ox = tile.broadcast %lines : tensor<32x1xi32> -> tensor<32x64xi32>
  %oy = tile.broadcast %columns : tensor<1x64xi32> -> tensor<32x64xi32>
  %oo = arith.addi %ox, %oy : tensor<32x64xi32>
  %os = tile.splat %out : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %oq = tile.addptr %os, %oo : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  tile.store %oq, %v : tensor<32x64x!tile.ptr<f16>>
  tile.return
}
