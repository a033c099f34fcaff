// RUN: tilewright-opt %s -convert-tile-to-warp -cse | FileCheck %s

// The elements of a join of tiles smaller than the threads are distributed over
// threads that hold copies, the furthest apart first. Only then they take
// registers.
// CHECK-DAG: #[[PAIR:.*]] = #warp.linear<{register = [], lane = {{\[\[}}0], [0], [0], [0], [0]], warp = {{\[\[}}0], [1]], block = []}>
// CHECK-DAG: #[[FOUR:.*]] = #warp.linear<{register = [], lane = {{\[\[}}0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = {{\[\[}}0, 1], [1, 0]], block = []}>
// CHECK-LABEL: tile.func @small
// CHECK: tile.broadcast %{{.*}} : tensor<1xi32, {{.*}}> -> tensor<2xi32, #[[PAIR]]>
// CHECK: tile.broadcast %{{.*}} : tensor<2x1xi32, {{.*}}> -> tensor<2x2xi32, #[[FOUR]]>
tile.func @small(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %r = tile.range {start = 7 : i32, end = 8 : i32} : tensor<1xi32>
  %two = tile.broadcast %r : tensor<1xi32> -> tensor<2xi32>
  %column = tile.expand_dims %two {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %four = tile.broadcast %column : tensor<2x1xi32> -> tensor<2x2xi32>
  tile.print "four = ", %four {isSigned = array<i1: true>} : tensor<2x2xi32>
  tile.return
}
