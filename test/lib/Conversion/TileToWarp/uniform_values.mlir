// RUN: tilewright-opt %s -convert-tile-to-warp=compute-capability=90 | FileCheck %s

// One constant advances the pointers of both operands, which are contiguous
// along different dimensions. Each keeps the layout that its loads need.
// CHECK-LABEL: tile.func @shared_step
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %{{.*}}, %[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}})
// CHECK-NOT: warp.convert_layout %{{.*}}tile.ptr
// CHECK: tile.load %[[P]] : tensor<64x64x!tile.ptr<f16>, #[[ALONG_ROWS:.*]]>
// CHECK-NOT: warp.convert_layout %{{.*}}tile.ptr
// CHECK: tile.load %[[Q]] : tensor<64x64x!tile.ptr<f16>, #[[ALONG_COLUMNS:.*]]>
// CHECK-NOT: warp.convert_layout %{{.*}}tile.ptr
// CHECK-DAG: tile.addptr %[[P]], %{{.*}} : tensor<64x64x!tile.ptr<f16>, #[[ALONG_ROWS]]>
// CHECK-DAG: tile.addptr %[[Q]], %{{.*}} : tensor<64x64x!tile.ptr<f16>, #[[ALONG_COLUMNS]]>
// CHECK: scf.yield
tile.func @shared_step(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32},
                       %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = arith.constant dense<64> : tensor<64x64xi32>
  %pitch = arith.constant dense<4096> : tensor<64x1xi32>
  %pitch1 = arith.constant dense<4096> : tensor<1x64xi32>
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %i {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %far = arith.muli %rows, %pitch : tensor<64x1xi32>
  %far1 = arith.muli %columns, %pitch1 : tensor<1x64xi32>
  %x0 = tile.broadcast %far : tensor<64x1xi32> -> tensor<64x64xi32>
  %x1 = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %y0 = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %y1 = tile.broadcast %far1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %x = arith.addi %x0, %x1 : tensor<64x64xi32>
  %y = arith.addi %y0, %y1 : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bs = tile.splat %b : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p0 = tile.addptr %as, %x : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %q0 = tile.addptr %bs, %y : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %sum:3 = scf.for %k = %c0 to %n step %c1 iter_args(%acc = %zero, %p = %p0, %q = %q0) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %u = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %v = tile.load %q : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %u, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p1 = tile.addptr %p, %step : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %q1 = tile.addptr %q, %step : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %p1, %q1 : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>, tensor<64x64x!tile.ptr<f16>>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %o = tile.addptr %os, %x : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  tile.store %o, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
