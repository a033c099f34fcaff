// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp="num-warps=4 compute-capability=80" | FileCheck %s

// The accumulators of two thread dots start from one constant and end in two
// layouts, as their operands have different layouts. Each loop-carried
// accumulator has one layout throughout.
// CHECK-LABEL: tile.func @one_start
// CHECK: %[[T:.*]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #[[ACROSS:.*]]>
// CHECK-NEXT: %[[S:.*]] = arith.constant dense<0.000000e+00> : tensor<32x32xf32, #[[ALONG:.*]]>
// CHECK: scf.for {{.*}} iter_args(%{{.*}} = %[[S]], %{{.*}} = %[[T]]) -> (tensor<32x32xf32, #[[ALONG]]>, tensor<32x32xf32, #[[ACROSS]]>)
tile.func @one_start(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<32x32xf32>
  %width = arith.constant dense<32> : tensor<32x1xi32>
  %i = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r = tile.expand_dims %i {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %c = tile.expand_dims %i {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %rs = arith.muli %r, %width : tensor<32x1xi32>
  %r2 = tile.broadcast %rs : tensor<32x1xi32> -> tensor<32x32xi32>
  %c2 = tile.broadcast %c : tensor<1x32xi32> -> tensor<32x32xi32>
  %at = arith.addi %r2, %c2 : tensor<32x32xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %q = tile.addptr %ps, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %sums:2 = scf.for %k = %c0 to %n step %c1 iter_args(%s = %zero, %t = %zero) -> (tensor<32x32xf32>, tensor<32x32xf32>) : i32 {
    %x = tile.load %q : tensor<32x32x!tile.ptr<f32>>
    %xt = tile.transpose %x {order = array<i32: 1, 0>} : tensor<32x32xf32> -> tensor<32x32xf32>
    %d = tile.dot %x, %x, %s : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    %e = tile.dot %xt, %x, %t : tensor<32x32xf32>, tensor<32x32xf32>, tensor<32x32xf32>
    scf.yield %d, %e : tensor<32x32xf32>, tensor<32x32xf32>
  }
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  %oq = tile.addptr %os, %at : tensor<32x32x!tile.ptr<f32>>, tensor<32x32xi32>
  %both = arith.subf %sums#0, %sums#1 : tensor<32x32xf32>
  tile.store %oq, %both : tensor<32x32x!tile.ptr<f32>>
  tile.return
}

// -----

// An accumulator starts from a reduction, which has the layout of its operand
// and is converted to that of the dot.
// CHECK-LABEL: tile.func @from_reduction
// CHECK: %[[R:.*]] = "tile.reduce"
// CHECK: %[[START:.*]] = warp.convert_layout %[[R]]
// CHECK: warp.mma %{{.*}}, %{{.*}}, %[[START]]
tile.func @from_reduction(%p: !tile.ptr<f16>, %y: !tile.ptr<f32>, %o: !tile.ptr<f32>) attributes {tile.kernel} {
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<4x32x32x!tile.ptr<f32>>
  %parts = tile.load %ys : tensor<4x32x32x!tile.ptr<f32>>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>>
  %x = tile.load %ps : tensor<32x32x!tile.ptr<f16>>
  %r = "tile.reduce"(%parts) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<4x32x32xf32>) -> tensor<32x32xf32>
  %d = tile.dot %x, %x, %r : tensor<32x32xf16>, tensor<32x32xf16>, tensor<32x32xf32>
  %os = tile.splat %o : !tile.ptr<f32> -> tensor<32x32x!tile.ptr<f32>>
  tile.store %os, %d : tensor<32x32x!tile.ptr<f32>>
  tile.return
}
