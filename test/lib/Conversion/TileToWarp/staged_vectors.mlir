// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true num-stages=3' -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s --check-prefix=ONE

// Numbers per column of an accumulator: each thread loads one of them and reads those that it needs from shared
// memory. Carried pointers keep the layout of their loads. Elements that are too narrow for copies, and offsets of
// other loads, stay in registers.
// CHECK-DAG: #[[ROW:.*]] = #warp.linear<{register = [], lane = {{\[}}[1], [2], [4], [8], [16]], warp = {{\[}}[32], [0]]
// CHECK-LABEL: @columns
// CHECK: scf.for
// CHECK-NOT: warp.convert_layout {{.*}}!tile.ptr
// CHECK: %[[G:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<f32>, #[[ROW]]>
// CHECK: %[[M:.*]] = warp.alloc %[[G]]
// CHECK: %[[R:.*]] = warp.local_load %[[M]]
// CHECK: tile.expand_dims %[[R]] {axis = 0
// CHECK: %[[H:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<f16>
// CHECK-NOT: warp.alloc %[[H]]
// CHECK: %[[I:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<i32>
// CHECK-NOT: warp.alloc %[[I]]
// CHECK: tile.load %{{.*}} : tensor<64x!tile.ptr<f16>
// CHECK: scf.yield

// With one iteration in flight nothing is prefetched.
// ONE-LABEL: @columns
// ONE: scf.for
// ONE: %[[G:.*]] = tile.load %{{.*}} : tensor<64x!tile.ptr<f32>
// ONE-NOT: warp.alloc %[[G]]
// ONE: scf.yield
tile.func @columns(%ap0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %bp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %gp0: !tile.ptr<f32>, %hp0: !tile.ptr<f16>, %ip0: !tile.ptr<i32>, %stride: i32, %out0: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %s64 = arith.constant dense<64> : tensor<64x1xi32>
  %r0 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %s64 : tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = tile.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c3 : tensor<64x64xi32>
  %ap1 = tile.splat %ap0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ap = tile.addptr %ap1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp1 = tile.splat %bp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %out1, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %strides = tile.splat %stride : i32 -> tensor<64xi32>
  %offsets = arith.muli %r, %strides : tensor<64xi32>
  %gp1 = tile.splat %gp0 : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %gp = tile.addptr %gp1, %offsets : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %hp1 = tile.splat %hp0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %ip1 = tile.splat %ip0 : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %hp = tile.addptr %hp1, %offsets : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %ip = tile.addptr %ip1, %offsets : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<64> : tensor<64xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %q = %gp) -> (tensor<64x64xf32>, tensor<64x!tile.ptr<f32>>) : i32 {
    %a = tile.load %ap : tensor<64x64x!tile.ptr<f16>>
    %b = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %g = tile.load %q : tensor<64x!tile.ptr<f32>>
    %g1 = tile.expand_dims %g {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %g2 = tile.broadcast %g1 : tensor<1x64xf32> -> tensor<64x64xf32>
    %x = arith.mulf %d, %g2 : tensor<64x64xf32>
    %h = tile.load %hp : tensor<64x!tile.ptr<f16>>
    %hf = arith.extf %h : tensor<64xf16> to tensor<64xf32>
    %h1 = tile.expand_dims %hf {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %h2 = tile.broadcast %h1 : tensor<1x64xf32> -> tensor<64x64xf32>
    %y = arith.mulf %x, %h2 : tensor<64x64xf32>
    %index = tile.load %ip : tensor<64x!tile.ptr<i32>>
    %jp = tile.addptr %hp, %index : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
    %j = tile.load %jp : tensor<64x!tile.ptr<f16>>
    %jf = arith.extf %j : tensor<64xf16> to tensor<64xf32>
    %j1 = tile.expand_dims %jf {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %j2 = tile.broadcast %j1 : tensor<1x64xf32> -> tensor<64x64xf32>
    %z = arith.mulf %y, %j2 : tensor<64x64xf32>
    %next = arith.addf %acc, %z : tensor<64x64xf32>
    %qn = tile.addptr %q, %step : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    scf.yield %next, %qn : tensor<64x64xf32>, tensor<64x!tile.ptr<f32>>
  }
  tile.store %out, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
