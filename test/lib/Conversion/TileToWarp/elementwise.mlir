// RUN: tilewright-opt %s -convert-tile-to-warp | FileCheck %s

// Four f32 elements are 16 bytes, so each thread takes vectors of four and
// nothing is converted.
// CHECK: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1], [2], [512]], lane = {{\[\[}}4], [8], [16], [32], [64]], warp = {{\[\[}}128], [256]], block = []}>
// CHECK: tile.func @add({{.*}}warp.num_warps = 4 : i32
// CHECK: tile.range {{.*}} : tensor<1024xi32, #[[L]]>
// CHECK: tile.load {{.*}} : tensor<1024x!tile.ptr<f32>, #[[L]]>
// CHECK: arith.addf {{.*}} : tensor<1024xf32, #[[L]]>
// CHECK: tile.store {{.*}} : tensor<1024x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: warp.convert_layout
tile.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c1024 = arith.constant 1024 : i32
  %pid = tile.program_id x
  %base = arith.muli %pid, %c1024 : i32
  %range = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32>
  %b = tile.splat %base : i32 -> tensor<1024xi32>
  %off = arith.addi %b, %range : tensor<1024xi32>
  %ns = tile.splat %n : i32 -> tensor<1024xi32>
  %mask = arith.cmpi slt, %off, %ns : tensor<1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %off : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %xv = tile.load %xp, %mask : tensor<1024x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %yp = tile.addptr %ys, %off : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  %yv = tile.load %yp, %mask : tensor<1024x!tile.ptr<f32>>
  %s = arith.addf %xv, %yv : tensor<1024xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<1024x!tile.ptr<f32>>
  %op = tile.addptr %os, %off : tensor<1024x!tile.ptr<f32>>, tensor<1024xi32>
  tile.store %op, %s, %mask : tensor<1024x!tile.ptr<f32>>
  tile.return
}
