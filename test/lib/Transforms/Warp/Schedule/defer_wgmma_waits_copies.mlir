// RUN: tilewright-opt %s -split-input-file -warp-defer-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#r = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!copies = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, async_groups>
!bs = !warp.ring<3 x {!warp.shared<16x16xf16, #b>}, transactions>

// Threads copy one operand, a producer copies the other. The slot to fill is the one of the previous iteration. The
// copies move to after the wait for its wgmmas and a barrier, since wgmmas of other warps read it too. In the first
// iteration the slot is free.
// CHECK-LABEL: @copies
// CHECK: scf.if
// CHECK:   warp.wgmma %
// CHECK:   warp.barrier
// CHECK:   warp.ring.acquire
// CHECK:   warp.async_copy
// CHECK:   warp.ring.commit
// CHECK:   scf.for {{.*}} iter_args({{.*}}%[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}})
// CHECK:     %[[S:.*]] = warp.wgmma %
// CHECK-NOT: warp.ring.acquire
// CHECK:     warp.wgmma_wait %[[S]] {pendings = 1 : i32}
// CHECK-NEXT: warp.ring.release %[[X]]{{$}}
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: %[[E:.*]], %[[T:.*]] = warp.ring.acquire
// CHECK-NEXT: warp.async_copy %{{.*}}, %[[T]]
// CHECK-NEXT: warp.ring.commit %[[E]]
// CHECK-NEXT: warp.ring.release %[[Y]]{{$}}
// CHECK:   warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK-COUNT-2: warp.ring.release
tile.func @copies(%p: tensor<64x16x!tile.ptr<f16>, #r>, %n: i32) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !copies
  %others = warp.ring : !bs
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %read = %zero, %fill = %two) -> (tensor<64x16xf32, #c>, i32, i32) : i32 {
    %x, %a = warp.ring.wait %ring[%read] pending 1 : !copies
    warp.barrier
    %y, %b = warp.ring.wait %others : !bs
    %s = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %e, %t = warp.ring.acquire %ring[%fill] : !copies
    warp.async_copy %p, %t vector 8 : tensor<64x16x!tile.ptr<f16>, #r>, !warp.shared<64x16xf16, #a>
    warp.ring.commit %e
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    warp.ring.release %y
    scf.yield %d, %fill, %read : tensor<64x16xf32, #c>, i32, i32
  }
  tile.return %sum#0 : tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#r = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!copies = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, async_groups>
!bs = !warp.ring<3 x {!warp.shared<16x16xf16, #b>}, transactions>

// Copies in a branch do not move, nor does the wait.
// CHECK-LABEL: @branch
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT: warp.wgmma_wait
tile.func @branch(%p: tensor<64x16x!tile.ptr<f16>, #r>, %n: i32, %c: i1) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !copies
  %others = warp.ring : !bs
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %read = %zero, %fill = %two) -> (tensor<64x16xf32, #c>, i32, i32) : i32 {
    %x, %a = warp.ring.wait %ring[%read] pending 1 : !copies
    warp.barrier
    %y, %b = warp.ring.wait %others : !bs
    %s = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    scf.if %c {
      %e, %t = warp.ring.acquire %ring[%fill] : !copies
      warp.async_copy %p, %t vector 8 : tensor<64x16x!tile.ptr<f16>, #r>, !warp.shared<64x16xf16, #a>
      warp.ring.commit %e
    }
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    warp.ring.release %y
    scf.yield %d, %fill, %read : tensor<64x16xf32, #c>, i32, i32
  }
  tile.return %sum#0 : tensor<64x16xf32, #c>
}
