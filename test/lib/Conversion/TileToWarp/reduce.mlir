// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp | FileCheck %s

// Rows are loaded eight elements per thread. The maximum of a row has the
// layout of the row, so that it is broadcast without moving.
// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4], [16, 0]], lane = {{\[\[}}0, 8], [0, 16], [0, 32], [1, 0], [2, 0]], warp = {{\[\[}}4, 0], [8, 0]], block = []}>
// CHECK-DAG: #[[MAX:.*]] = #warp.linear<{register = {{\[\[}}16]], lane = {{\[\[}}0], [0], [0], [1], [2]], warp = {{\[\[}}4], [8]], block = []}>
// CHECK-LABEL: tile.func @rows
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[ROWS]]>
// CHECK: "tile.reduce"
// CHECK: (tensor<32x64xf16, #[[ROWS]]>) -> tensor<32xf16, #[[MAX]]>
// CHECK: tile.broadcast {{.*}} -> tensor<32x64xf16, #[[ROWS]]>
// CHECK: arith.subf {{.*}} : tensor<32x64xf16, #[[ROWS]]>
// CHECK-NOT: warp.convert_layout
tile.func @rows(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %n = arith.constant dense<64> : tensor<32x1xi32>
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %c = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c1 = tile.expand_dims %c {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rn = arith.muli %r1, %n : tensor<32x1xi32>
  %r2 = tile.broadcast %rn : tensor<32x1xi32> -> tensor<32x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<32x64xi32>
  %o = arith.addi %r2, %c2 : tensor<32x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<32x64x!tile.ptr<f16>>, tensor<32x64xi32>
  %x = tile.load %q : tensor<32x64x!tile.ptr<f16>>
  %m = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f16, %b: f16):
    %s = arith.maxnumf %a, %b : f16
    tile.yield %s : f16
  }) : (tensor<32x64xf16>) -> tensor<32xf16>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<32xf16> -> tensor<32x1xf16>
  %m2 = tile.broadcast %m1 : tensor<32x1xf16> -> tensor<32x64xf16>
  %y = arith.subf %x, %m2 : tensor<32x64xf16>
  tile.store %q, %y : tensor<32x64x!tile.ptr<f16>>
  tile.return
}

// -----

// Both operands of one reduction have one layout: the index has that of the
// value.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1], [2], [512]], lane
// CHECK-LABEL: tile.func @argmax
// CHECK: tile.range {{.*}} : tensor<1024xi32, #[[L]]>
// CHECK: "tile.reduce"
// CHECK: (tensor<1024xf32, #[[L]]>, tensor<1024xi32, #[[L]]>) -> (f32, i32)
// CHECK-NOT: warp.convert_layout
tile.func @argmax(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %x = tile.load %q : tensor<1024x!tile.ptr<f32>>
  %m:2 = "tile.reduce"(%x, %r) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %i: i32, %b: f32, %j: i32):
    %greater = arith.cmpf ogt, %a, %b : f32
    %value = arith.select %greater, %a, %b : f32
    %index = arith.select %greater, %i, %j : i32
    tile.yield %value, %index : f32, i32
  }) : (tensor<1024xf32>, tensor<1024xi32>) -> (f32, i32)
  tile.store %out, %m#1 : !tile.ptr<i32>
  tile.return
}

// -----

// Marked are reductions whose function gives the same if its operands are
// exchanged. Additions, multiplications and tests for equality may be in any
// order. The first of two operands is not marked.
// CHECK-LABEL: tile.func @commuting
// CHECK: "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: arith.mulf
// CHECK: "tile.reduce"({{.*}}) <{axis = 0 : i32}>
// CHECK: arith.cmpf ogt
// CHECK: "tile.reduce"({{.*}}) <{axis = 0 : i32}>
// CHECK: scf.if
// CHECK: "tile.reduce"({{.*}}) <{axis = 0 : i32, commutes}>
// CHECK: arith.subf
tile.func @commuting(%p: !tile.ptr<f32>, %k: f32) attributes {tile.kernel} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %x = tile.load %ps : tensor<64x!tile.ptr<f32>>
  %r:2 = "tile.reduce"(%x, %x) <{axis = 0 : i32}> ({
  ^bb0(%ar: f32, %ai: f32, %br: f32, %bi: f32):
    %rr = arith.mulf %ar, %br : f32
    %ii = arith.mulf %ai, %bi : f32
    %re = arith.subf %rr, %ii : f32
    %ri = arith.mulf %ar, %bi : f32
    %ir = arith.mulf %ai, %br : f32
    %im = arith.addf %ri, %ir : f32
    %same = arith.cmpf oeq, %ar, %br : f32
    %last = arith.select %same, %k, %im : f32
    tile.yield %re, %last : f32, f32
  }) : (tensor<64xf32>, tensor<64xf32>) -> (f32, f32)
  %s = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %more = arith.cmpf ogt, %a, %b : f32
    %c = arith.select %more, %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  %t = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %same = arith.cmpf oeq, %a, %b : f32
    %c = scf.if %same -> f32 {
      scf.yield %a : f32
    } else {
      scf.yield %k : f32
    }
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  %u = "tile.reduce"(%x) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.subf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32>) -> f32
  tile.store %p, %s : !tile.ptr<f32>
  tile.store %p, %t : !tile.ptr<f32>
  tile.store %p, %u : !tile.ptr<f32>
  tile.store %p, %r#0 : !tile.ptr<f32>
  tile.store %p, %r#1 : !tile.ptr<f32>
  tile.return
}
