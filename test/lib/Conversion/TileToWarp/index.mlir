// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp -cse | FileCheck %s

// Indices and result have one layout, that of their memory accesses. The source
// keeps its own.
// CHECK-DAG: #[[LONG:.*]] = #warp.linear<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}>
// CHECK-DAG: #[[SHORT:.*]] = #warp.linear<{register = [], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = {{\[\[}}32], [0]], block = []}>
// CHECK-LABEL: tile.func @gather
// CHECK: tile.gather {{.*}} : tensor<512xf32, #[[LONG]]>, tensor<64xi32, #[[SHORT]]> -> tensor<64xf32, #[[SHORT]]>
// CHECK-NOT: warp.convert_layout
tile.func @gather(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %i: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %s = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>>
  %is = tile.splat %i : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %ip = tile.addptr %is, %s : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %n = tile.load %ip : tensor<64x!tile.ptr<i32>>
  %g = tile.gather %v[%n] {axis = 0 : i32} : tensor<512xf32>, tensor<64xi32> -> tensor<64xf32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %s : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  tile.store %yp, %g : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// The mask has the layout of the elements that it belongs to.
// CHECK-DAG: #[[LONG:.*]] = #warp.linear<{register = {{\[\[}}1], [2]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}>
// CHECK-LABEL: tile.func @histogram
// CHECK: %[[M:.*]] = arith.cmpi slt, {{.*}} : tensor<512xi32, #[[LONG]]>
// CHECK: tile.histogram %{{.*}}, %[[M]] : tensor<512xi32, #[[LONG]]> -> tensor<16xi32, #{{.*}}>
// CHECK-NOT: warp.convert_layout
tile.func @histogram(%x: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %n: i32, %y: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %s = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %xs = tile.splat %x : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<i32>>
  %ns = tile.splat %n : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %ns : tensor<512xi32>
  %h = tile.histogram %v, %m : tensor<512xi32> -> tensor<16xi32>
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<16x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %s : tensor<16x!tile.ptr<i32>>, tensor<16xi32>
  tile.store %yp, %h : tensor<16x!tile.ptr<i32>>
  tile.return
}
