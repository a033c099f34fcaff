// RUN: tilewright-opt %s -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s

// 32 and 16 columns of two dots with the same 128 rows, 64 per warpgroup: one instruction of 48 columns for each of two
// steps.

#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0], [64, 0]]}>
#n32 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0]]}>
#n16 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#t32 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8], [0, 16]]}>
#t16 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!left = !warp.shared<128x32xf16, #a>
!ring = !warp.ring<2 x {!left, !warp.shared<32x32xf16, #n32>, !warp.shared<16x32xf16, #n16>}, async_groups>
!b32 = !warp.shared<32x32xf16, #t32>
!b16 = !warp.shared<32x16xf16, #t16>
!wide = tensor<128x32xf32, #w>
!narrow = tensor<128x16xf32, #c>

// CHECK-LABEL: .visible .entry merged(
// CHECK: wgmma.fence.sync.aligned;
// CHECK: wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16
// CHECK: wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16
// CHECK-NOT: wgmma.mma_async
// CHECK: wgmma.commit_group.sync.aligned;
// CHECK-NOT: wgmma.commit_group.sync.aligned;
// CHECK: wgmma.wait_group.sync.aligned 0;
tile.func @merged(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>, #w>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x16x!tile.ptr<f32>, #c>
  %u = tile.load %ps : tensor<128x32x!tile.ptr<f32>, #w>
  %v = tile.load %qs : tensor<128x16x!tile.ptr<f32>, #c>
  %ring = warp.ring : !ring
  %zero = arith.constant 0 : i32
  %slot, %l, %m, %n = warp.ring.wait %ring[%zero] pending 0 : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !warp.shared<32x32xf16, #n32> -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !warp.shared<16x32xf16, #n16> -> !b16
  %s:2 = warp.wgmma %l, [%b, %d], [%u, %v] : !left, [!b32, !b16], [!wide, !narrow]
  %r:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.store %ps, %r#0 : tensor<128x32x!tile.ptr<f32>, #w>
  tile.store %qs, %r#1 : tensor<128x16x!tile.ptr<f32>, #c>
  tile.return
}

// The instructions read the accumulators unless all of them are zero.
// CHECK-LABEL: .visible .entry one_zero(
// CHECK-NOT: , set, 1, 1
// CHECK: wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16 {{.*}}, add, 1, 1
// CHECK-NOT: , set, 1, 1
// CHECK-LABEL: .visible .entry all_zero(
// CHECK: wgmma.mma_async.sync.aligned.m64n48k16.f32.f16.f16 {{.*}}, set, 1, 1
tile.func @one_zero(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>, #w>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x16x!tile.ptr<f32>, #c>
  %u = arith.constant dense<0.0> : !wide
  %v = tile.load %qs : tensor<128x16x!tile.ptr<f32>, #c>
  %ring = warp.ring : !ring
  %zero = arith.constant 0 : i32
  %slot, %l, %m, %n = warp.ring.wait %ring[%zero] pending 0 : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !warp.shared<32x32xf16, #n32> -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !warp.shared<16x32xf16, #n16> -> !b16
  %s:2 = warp.wgmma %l, [%b, %d], [%u, %v] : !left, [!b32, !b16], [!wide, !narrow]
  %r:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.store %ps, %r#0 : tensor<128x32x!tile.ptr<f32>, #w>
  tile.store %qs, %r#1 : tensor<128x16x!tile.ptr<f32>, #c>
  tile.return
}

tile.func @all_zero(%p: !tile.ptr<f32>, %q: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<128x32x!tile.ptr<f32>, #w>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<128x16x!tile.ptr<f32>, #c>
  %u = arith.constant dense<0.0> : !wide
  %v = arith.constant dense<0.0> : !narrow
  %ring = warp.ring : !ring
  %zero = arith.constant 0 : i32
  %slot, %l, %m, %n = warp.ring.wait %ring[%zero] pending 0 : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !warp.shared<32x32xf16, #n32> -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !warp.shared<16x32xf16, #n16> -> !b16
  %s:2 = warp.wgmma %l, [%b, %d], [%u, %v] : !left, [!b32, !b16], [!wide, !narrow]
  %r:2 = warp.wgmma_wait %s#0, %s#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.store %ps, %r#0 : tensor<128x32x!tile.ptr<f32>, #w>
  tile.store %qs, %r#1 : tensor<128x16x!tile.ptr<f32>, #c>
  tile.return
}
