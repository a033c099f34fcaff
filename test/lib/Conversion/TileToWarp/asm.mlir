// RUN: tilewright-opt %s -convert-tile-to-warp -cse | FileCheck %s

// All results and operands of assembly have one layout, that of the load.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1], [2]], lane = {{.*}}
// CHECK-LABEL: tile.func @asm
// CHECK: tile.inline_asm {{.*}} : (tensor<512xi32, #[[L]]>, tensor<512xf32, #[[L]]>) -> (tensor<512xi32, #[[L]]>, tensor<512xf32, #[[L]]>)
// CHECK-NOT: warp.convert_layout
tile.func @asm(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<i32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %xp = tile.addptr %xs, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %v = tile.load %xp : tensor<512x!tile.ptr<f32>>
  %a:2 = tile.inline_asm "" "=r,=f,r,f" pack = 1 pure %r, %v : (tensor<512xi32>, tensor<512xf32>) -> (tensor<512xi32>, tensor<512xf32>)
  %ys = tile.splat %y : !tile.ptr<i32> -> tensor<512x!tile.ptr<i32>>
  %yp = tile.addptr %ys, %a#0 : tensor<512x!tile.ptr<i32>>, tensor<512xi32>
  %i = arith.fptosi %a#1 : tensor<512xf32> to tensor<512xi32>
  tile.store %yp, %i : tensor<512x!tile.ptr<i32>>
  tile.return
}
