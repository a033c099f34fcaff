// RUN: tilewright-opt %s -warp-interleave-dots | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x64xf16, #a>
!acc = tensor<64x64xf32, #c>
!half = tensor<64x64xf16, #c>
!ring = !warp.ring<3 x {!tile}, transactions>

// The second dot, whose operands are available, starts before the wait for the first one. The last dot stays in flight.
// CHECK-LABEL: @independent
// CHECK: scf.if
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK-NEXT: warp.wgmma_wait %[[S]], %{{.*}} {pendings = 1 : i32}
// CHECK: warp.ring.release %{{.*}} if
// CHECK: math.exp2
// CHECK: warp.wgmma_wait %[[T]] {pendings = 0 : i32}
// CHECK: %[[U:.*]] = warp.wgmma
// CHECK-NEXT: scf.yield %[[U]]
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: } else {
tile.func @independent(%n: i32) -> !acc attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %keys = warp.alloc : !tile
  %ring = warp.ring : !ring
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %slot, %q = warp.ring.wait %ring : !ring
    %s = warp.wgmma %keys, %q, %zero : !tile, !tile, !acc
    %scores = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
    %p = math.exp2 %scores : !acc
    %t = warp.wgmma %q, %keys, %zero : !tile, !tile, !acc
    %others = warp.wgmma_wait %t {pendings = 0 : i32} : !acc
    %x = arith.mulf %p, %others : !acc
    %y = arith.truncf %x : !acc to !half
    %u = warp.wgmma %y, %q, %acc : !half, !tile, !acc
    %next = warp.wgmma_wait %u {pendings = 0 : i32} : !acc
    warp.ring.release %slot
    scf.yield %next : !acc
  }
  tile.return %sum : !acc
}

// A loop that writes memory is left alone.
// CHECK-LABEL: @writes
// CHECK-NOT: scf.if
// CHECK-NOT: pendings = 1
// CHECK: tile.return
tile.func @writes(%p: !tile.ptr<i32>, %n: i32) -> !acc attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %keys = warp.alloc : !tile
  %ring = warp.ring : !ring
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %slot, %q = warp.ring.wait %ring : !ring
    %s = warp.wgmma %keys, %q, %zero : !tile, !tile, !acc
    %scores = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
    tile.store %p, %i : !tile.ptr<i32>
    %e = math.exp2 %scores : !acc
    %t = warp.wgmma %q, %keys, %zero : !tile, !tile, !acc
    %others = warp.wgmma_wait %t {pendings = 0 : i32} : !acc
    %x = arith.mulf %e, %others : !acc
    %y = arith.truncf %x : !acc to !half
    %u = warp.wgmma %y, %q, %acc : !half, !tile, !acc
    %next = warp.wgmma_wait %u {pendings = 0 : i32} : !acc
    warp.ring.release %slot
    scf.yield %next : !acc
  }
  tile.return %sum : !acc
}
