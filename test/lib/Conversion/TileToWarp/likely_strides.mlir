// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s

// Strides that are known only at run time: one that is divisible by 16 is probably longer than one of which nothing
// is known. A product is probably longer than its factors. Lanes lie along the shortest.

// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{register = {{\[\[}}0, 4], [0, 8], [0, 16], [0, 32]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = {{\[\[}}0, 1], [0, 2]]
// CHECK-DAG: #[[COLUMNS:.*]] = #warp.linear<{register = {{\[\[}}0, 32], [4, 0], [8, 0], [16, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = {{\[\[}}1, 0], [2, 0]]
// CHECK-DAG: #[[DOWN:.*]] = #warp.linear<{offset = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1]
// CHECK-DAG: #[[ALONG:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8]

// Weights of a convolution: also in shared memory, neighbours lie along the input channels.
// CHECK-LABEL: tile.func @weights
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[ROWS]]>
// CHECK: warp.wgmma {{.*}} !warp.shared<32x64xf16, #[[DOWN]]>
tile.func @weights(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32},
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
  %a = arith.constant dense<1.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %v, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// The transposed order.
// CHECK-LABEL: tile.func @turned_weights
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[COLUMNS]]>
// CHECK: warp.wgmma {{.*}} !warp.shared<32x64xf16, #[[ALONG]]>
tile.func @turned_weights(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                          %m: i32 {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
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
  %a = arith.constant dense<1.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %v, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// Nothing distinguishes the strides: neighbours lie along the last dimension.
// CHECK-LABEL: tile.func @alike
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[COLUMNS]]>
// CHECK: warp.wgmma {{.*}} !warp.shared<32x64xf16, #[[ALONG]]>
tile.func @alike(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                 %m: i32 {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
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
  %a = arith.constant dense<1.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %v, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// A product and one of its factors.
// CHECK-LABEL: tile.func @factor
// CHECK: tile.load {{.*}} : tensor<32x64x!tile.ptr<f16>, #[[ROWS]]>
// CHECK: warp.wgmma {{.*}} !warp.shared<32x64xf16, #[[DOWN]]>
tile.func @factor(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32> {tile.divisibility = 16 : i32},
                  %m: i32, %k: i32) attributes {tile.kernel} {
  %n = arith.muli %m, %k : i32
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
  %a = arith.constant dense<1.0> : tensor<64x32xf16>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.dot %a, %v, %zero : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
