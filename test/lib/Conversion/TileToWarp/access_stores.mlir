// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s

// Rows of C that start anywhere are stored element by element. The threads that hold the accumulators would write to
// eight rows at a time, a quarter of each sector. After an exchange, the elements of a warp are neighbours.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{.*}}, lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}0, 32], [1, 0]]
// CHECK-LABEL: tile.func @large
// CHECK: warp.convert_layout {{.*}} -> tensor<64x64xf16, #[[L]]>
// CHECK: tile.store {{.*}} : tensor<64x64x!tile.ptr<f16>, #[[L]]>
tile.func @large(%p: !tile.ptr<f16>, %v: f16, %stride: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %a = tile.splat %v : f16 -> tensor<64x64xf16>
  %sums = tile.dot %a, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %c = arith.truncf %sums : tensor<64x64xf32> to tensor<64x64xf16>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %starts = arith.muli %rows, %strides : tensor<64x1xi32>
  %x = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %x, %y : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  tile.store %q, %c : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// For a tile this small, the exchange and its barriers cost more than they save.
// CHECK-LABEL: tile.func @small
// CHECK: %[[C:.*]] = arith.truncf
// CHECK-NOT: warp.convert_layout %[[C]]
// CHECK: tile.store
tile.func @small(%p: !tile.ptr<f16>, %v: f16, %stride: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x8xf32>
  %a = tile.splat %v : f16 -> tensor<64x64xf16>
  %b = tile.splat %v : f16 -> tensor<64x8xf16>
  %sums = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x8xf16>, tensor<64x8xf32>
  %c = arith.truncf %sums : tensor<64x8xf32> to tensor<64x8xf16>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %s {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %starts = arith.muli %rows, %strides : tensor<64x1xi32>
  %x = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x8xi32>
  %y = tile.broadcast %columns : tensor<1x8xi32> -> tensor<64x8xi32>
  %o = arith.addi %x, %y : tensor<64x8xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x8x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<64x8x!tile.ptr<f16>>, tensor<64x8xi32>
  tile.store %q, %c : tensor<64x8x!tile.ptr<f16>>
  tile.return
}

// -----

// 32-bit elements that have to move are stored four at a time, though a 16-bit tile of the same shape is loaded eight
// at a time. Adjacent lanes then fill sectors.
// CHECK-DAG: #[[EIGHT:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}0, 8], [1, 0]
// CHECK-DAG: #[[FOUR:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], {{.*}}, lane = {{\[\[}}0, 4], [0, 8], [1, 0]
// CHECK-LABEL: tile.func @f16_and_f32
// CHECK: tile.load {{.*}} : tensor<64x16x!tile.ptr<f16>, #[[EIGHT]]>
// CHECK: tile.store {{.*}} : tensor<64x16x!tile.ptr<f32>, #[[FOUR]]>
tile.func @f16_and_f32(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %v: f16) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x16xf32>
  %a = tile.splat %v : f16 -> tensor<64x64xf16>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %s {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %strides = arith.constant dense<64> : tensor<64x1xi32>
  %starts = arith.muli %rows, %strides : tensor<64x1xi32>
  %x = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x16xi32>
  %y = tile.broadcast %columns : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %x, %y : tensor<64x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %pp = tile.addptr %ps, %o : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
  %b = tile.load %pp : tensor<64x16x!tile.ptr<f16>>
  %sums = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x16xf16>, tensor<64x16xf32>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
  %qp = tile.addptr %qs, %o : tensor<64x16x!tile.ptr<f32>>, tensor<64x16xi32>
  tile.store %qp, %sums : tensor<64x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Loop-carried pointers have the layout of the loads that use them: eight adjacent f16 or f32 elements per thread.
// Stored values are converted to it. In a layout of the store, of four floats, the pointers would pass through shared
// memory in each iteration.
// CHECK-DAG: #[[P:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4],
// CHECK-LABEL: tile.func @carried
// CHECK: scf.for
// CHECK-NOT: warp.convert_layout {{.*}}!tile.ptr
// CHECK: %[[S:.*]] = warp.convert_layout {{.*}} -> tensor<64x64xf32, #[[P]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.store %{{.*}}, %[[S]] : tensor<64x64x!tile.ptr<f32>, #[[P]]>
tile.func @carried(%h: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %stride: i32 {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64x1xi32>
  %starts = arith.muli %rows, %strides : tensor<64x1xi32>
  %x = tile.broadcast %starts : tensor<64x1xi32> -> tensor<64x64xi32>
  %y = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %x, %y : tensor<64x64xi32>
  %hs = tile.splat %h : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %at = tile.addptr %hs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %a = tile.load %at : tensor<64x64x!tile.ptr<f16>>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %first = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %step = tile.splat %stride : i32 -> tensor<64x64xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%q = %first) -> (tensor<64x64x!tile.ptr<f32>>) : i32 {
    %sum = tile.load %q : tensor<64x64x!tile.ptr<f32>>
    %new = tile.dot %a, %a, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    tile.store %q, %new : tensor<64x64x!tile.ptr<f32>>
    %next = tile.addptr %q, %step : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
    scf.yield %next : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}
