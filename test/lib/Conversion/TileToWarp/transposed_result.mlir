// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=8 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// The transposed result of a dot has to pass through shared memory to be the left operand of the next one, as in
// gradients of attention. If it would take 32 registers per thread, it stays there.

// CHECK-LABEL: @transposed
// CHECK: warp.wgmma_wait
// CHECK: %[[H:.*]] = arith.truncf %{{.*}} : tensor<128x128xf32, {{.*}}> to tensor<128x128xf16
// CHECK-NOT: warp.convert_layout
// CHECK: %[[M:.*]] = warp.alloc %[[H]]
// CHECK: %[[T:.*]] = warp.shared_transpose %[[M]]
// CHECK: warp.wgmma %[[T]], %{{.*}} : !warp.shared<128x128xf16
tile.func @transposed(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %a = tile.load %ps : tensor<128x64x!tile.ptr<f16>>
  %b = tile.transpose %a {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
  %s = tile.dot %a, %b, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<128x128xf16> -> tensor<128x128xf16>
  %r = tile.dot %t, %a, %zero : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
  %o = tile.splat %q : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %o, %r : tensor<128x64x!tile.ptr<f32>>
  tile.return
}

// Without a transpose, the result has the layout of the left operand of the next dot.

// CHECK-LABEL: @straight
// CHECK: %[[H:.*]] = arith.truncf %{{.*}} : tensor<128x128xf32, {{.*}}> to tensor<128x128xf16
// CHECK-NEXT: warp.wgmma %[[H]], %{{.*}} : tensor<128x128xf16
tile.func @straight(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<128x64x!tile.ptr<f16>>
  %a = tile.load %ps : tensor<128x64x!tile.ptr<f16>>
  %b = tile.transpose %a {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
  %s = tile.dot %a, %b, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
  %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
  %r = tile.dot %h, %a, %zero : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
  %o = tile.splat %q : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %o, %r : tensor<128x64x!tile.ptr<f32>>
  tile.return
}

// If it takes fewer registers, it is read back.

// CHECK-LABEL: @few
// CHECK: %[[H:.*]] = arith.truncf %{{.*}} : tensor<64x64xf32, {{.*}}> to tensor<64x64xf16
// CHECK: %[[T:.*]] = tile.transpose %[[H]]
// CHECK: %[[A:.*]] = warp.convert_layout %[[T]]
// CHECK: warp.wgmma %[[A]], %{{.*}} : tensor<64x64xf16
tile.func @few(%p: !tile.ptr<f16>, %q: !tile.ptr<f32>) attributes {tile.kernel} {
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %a = tile.load %ps : tensor<64x64x!tile.ptr<f16>>
  %b = tile.transpose %a {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %s = tile.dot %a, %b, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %h = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
  %t = tile.transpose %h {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
  %r = tile.dot %t, %a, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %o = tile.splat %q : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %r : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
