// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp="compute-capability=90 arch-specific=true" | FileCheck %s

// Scales of columns with arbitrary addresses: lanes that would hold copies load some each and shuffle them. Otherwise
// each thread would hold 32 addresses.
// CHECK: #[[ONE:.*]] = #warp.linear<{register = {{\[\[}}1], [8]], lane = {{\[\[}}2], [4], [64], [32], [16]], warp = {{\[\[}}0], [0]], block = []}>
// CHECK-LABEL: tile.func @anywhere
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>, #[[ONE]]>
// CHECK: warp.convert_layout %{{.*}} : tensor<128xf32, #[[ONE]]>
// CHECK: scf.yield
tile.func @anywhere(%x: f16, %s: !tile.ptr<f32>, %group: i32, %step: i32, %n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %b = tile.splat %x : f16 -> tensor<64x128xf16>
  %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %groups = tile.splat %group : i32 -> tensor<128xi32>
  %column = arith.divsi %r, %groups : tensor<128xi32>
  %ps = tile.splat %s : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %ps, %column : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x128xf32> : i32 {
    %at = arith.muli %i, %step : i32
    %ats = tile.splat %at : i32 -> tensor<128xi32>
    %qi = tile.addptr %q, %ats : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %scale = tile.load %qi : tensor<128x!tile.ptr<f32>>
    %p = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %s1 = tile.expand_dims %scale {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
    %s2 = tile.broadcast %s1 : tensor<1x128xf32> -> tensor<64x128xf32>
    %m = arith.mulf %p, %s2 : tensor<64x128xf32>
    %next = arith.addf %acc, %m : tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x128x!tile.ptr<f32>>
  tile.return
}

// -----

// Scales that are neighbours in memory are loaded by each thread that needs them.
// CHECK-LABEL: tile.func @neighbours
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>, #[[SLICE:.*]]>
// CHECK-NOT: warp.convert_layout
// CHECK: scf.yield
tile.func @neighbours(%x: f16, %s: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %step: i32 {tile.divisibility = 16 : i32}, %n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %b = tile.splat %x : f16 -> tensor<64x128xf16>
  %r = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %ps = tile.splat %s : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x128xf32> : i32 {
    %at = arith.muli %i, %step : i32
    %ats = tile.splat %at : i32 -> tensor<128xi32>
    %qi = tile.addptr %q, %ats : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    %scale = tile.load %qi : tensor<128x!tile.ptr<f32>>
    %p = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    %s1 = tile.expand_dims %scale {axis = 0 : i32} : tensor<128xf32> -> tensor<1x128xf32>
    %s2 = tile.broadcast %s1 : tensor<1x128xf32> -> tensor<64x128xf32>
    %m = arith.mulf %p, %s2 : tensor<64x128xf32>
    %next = arith.addf %acc, %m : tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x128x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x128x!tile.ptr<f32>>
  tile.return
}

// -----

// A row of scales is loaded in the layout of the operand that it is multiplied with, neighbours in order.
// CHECK: #[[ROW:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{.*}}
// CHECK-LABEL: tile.func @row
// CHECK: scf.for
// CHECK: tile.load %{{.*}} : tensor<1x64x!tile.ptr<f16>
// CHECK-NOT: warp.convert_layout %{{.*}} : tensor<1x64xf16
// CHECK: scf.yield
tile.func @row(%x: f16, %w: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %step: i32 {tile.divisibility = 16 : i32}, %n: i32, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %k = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %k1 = tile.expand_dims %k {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %n1 = tile.expand_dims %k {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %steps = tile.splat %step : i32 -> tensor<64x1xi32>
  %rows = arith.muli %k1, %steps : tensor<64x1xi32>
  %kk = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %nn = tile.broadcast %n1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %kk, %nn : tensor<64x64xi32>
  %ws = tile.splat %w : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %wp = tile.addptr %ws, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ss = tile.splat %s : !tile.ptr<f16> -> tensor<1x64x!tile.ptr<f16>>
  %sp = tile.addptr %ss, %n1 : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %next = arith.muli %i, %step : i32
    %nexts = tile.splat %next : i32 -> tensor<1x64xi32>
    %sq = tile.addptr %sp, %nexts : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
    %b = tile.load %wp : tensor<64x64x!tile.ptr<f16>>
    %scale = tile.load %sq : tensor<1x64x!tile.ptr<f16>>
    %scales = tile.broadcast %scale : tensor<1x64xf16> -> tensor<64x64xf16>
    %m = arith.mulf %b, %scales : tensor<64x64xf16>
    %p = tile.dot %a, %m, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %p : tensor<64x64xf32>
  }
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
