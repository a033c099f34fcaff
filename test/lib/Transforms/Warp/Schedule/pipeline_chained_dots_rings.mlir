// RUN: tilewright-opt %s -warp-pipeline-chained-dots | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x64xf16, #a>
!acc = tensor<64x64xf32, #c>
!half = tensor<64x64xf16, #c>
!ring = !warp.ring<3 x {!tile}, transactions>

// The second dot of an iteration starts after the first dot of the next iteration.
// CHECK-LABEL: @chained
// CHECK: scf.if
// CHECK: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK-NEXT: warp.wgmma_wait %[[S]] {pendings = 1 : i32}
// CHECK: warp.wgmma_wait %[[T]] {pendings = 0 : i32}
// CHECK: scf.yield
// CHECK: %[[LAST:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[LAST]] {pendings = 0 : i32}
tile.func @chained(%n: i32) -> !acc attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %q = warp.alloc : !tile
  %keys = warp.ring : !ring
  %values = warp.ring : !ring
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> !acc : i32 {
    %slot, %k = warp.ring.wait %keys : !ring
    %s = warp.wgmma %q, %k, %zero : !tile, !tile, !acc
    %scores = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
    warp.ring.release %slot
    %p = arith.truncf %scores : !acc to !half
    %next, %v = warp.ring.wait %values : !ring
    %t = warp.wgmma %p, %v, %acc : !half, !tile, !acc
    %u = warp.wgmma_wait %t {pendings = 0 : i32} : !acc
    warp.ring.release %next
    scf.yield %u : !acc
  }
  tile.return %sum : !acc
}

// The A operand of the last dot is in shared memory.
// CHECK-LABEL: @shared_operand
// CHECK-NOT: scf.if
// CHECK-NOT: pendings = 1
// CHECK: tile.return
tile.func @shared_operand(%n: i32) -> !acc attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : !acc
  %q = warp.alloc : !tile
  %keys = warp.ring : !ring
  %values = warp.ring : !ring
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %seen = %zero) -> (!acc, !acc) : i32 {
    %slot, %k = warp.ring.wait %keys : !ring
    %s = warp.wgmma %q, %k, %zero : !tile, !tile, !acc
    %scores = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
    warp.ring.release %slot
    %p = arith.addf %scores, %seen : !acc
    %next, %v = warp.ring.wait %values : !ring
    %t = warp.wgmma %q, %v, %acc : !tile, !tile, !acc
    %u = warp.wgmma_wait %t {pendings = 0 : i32} : !acc
    warp.ring.release %next
    scf.yield %u, %p : !acc, !acc
  }
  tile.return %sum#0 : !acc
}
