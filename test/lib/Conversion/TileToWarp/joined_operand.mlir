// RUN: tilewright-opt %s -convert-tile-to-warp="compute-capability=90 arch-specific=true" | FileCheck %s

// Elements that are joined along a row are adjacent in a thread, if not in register order. They are stored as rows,
// which the mma reads across.
// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [0, 4], {{.*}}
// CHECK-LABEL: tile.func @joined
// CHECK: warp.alloc %{{.*}} : (tensor<64x64xf16, {{.*}}>) -> !warp.shared<64x64xf16, #[[ROWS]]>
// CHECK: warp.wgmma %{{.*}}, %{{.*}}, %{{.*}} : {{.*}}, !warp.shared<64x64xf16, #[[ROWS]]>, tensor<64x64xf32
tile.func @joined(%x: f16, %p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %c32 = arith.constant dense<32> : tensor<64x1xi32>
  %a = tile.splat %x : f16 -> tensor<64x64xf16>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %n = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rs = arith.muli %r1, %c32 : tensor<64x1xi32>
  %n1 = tile.expand_dims %n {axis = 0 : i32} : tensor<32xi32> -> tensor<1x32xi32>
  %r2 = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x32xi32>
  %n2 = tile.broadcast %n1 : tensor<1x32xi32> -> tensor<64x32xi32>
  %at = arith.addi %r2, %n2 : tensor<64x32xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x32x!tile.ptr<i32>>
  %q = tile.addptr %ps, %at : tensor<64x32x!tile.ptr<i32>>, tensor<64x32xi32>
  %w = tile.load %q : tensor<64x32x!tile.ptr<i32>>
  %w1 = tile.expand_dims %w {axis = 2 : i32} : tensor<64x32xi32> -> tensor<64x32x1xi32>
  %w2 = tile.broadcast %w1 : tensor<64x32x1xi32> -> tensor<64x32x2xi32>
  %w3 = tile.reshape %w2 : tensor<64x32x2xi32> -> tensor<64x64xi32>
  %b = arith.sitofp %w3 : tensor<64x64xi32> to tensor<64x64xf16>
  %d = tile.dot %a, %b, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
