// RUN: tilewright-opt %s -warp-merge-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#r = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}>
!left = !warp.shared<64x16xf16, #a>
!right = !warp.shared<16x16xf16, #b>
!rows = !warp.shared<16x16xf16, #r>
!accs = tensor<64x16xf32, #c>

// Parts of a tile, whose accumulators threads use when all are complete.
// CHECK-LABEL: @pieces
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NOT: warp.wgmma_wait
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK-NOT: warp.wgmma_wait
// CHECK: %[[U:.*]] = warp.wgmma
// CHECK: %[[W:.*]]:3 = warp.wgmma_wait %[[S]], %[[T]], %[[U]] {pendings = 0 : i32}
// CHECK: arith.addf %[[W]]#0, %[[W]]#1
// CHECK: arith.addf %{{.*}}, %[[W]]#2
tile.func @pieces(%a: !left, %b: !right, %m: !rows, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  %d = warp.shared_transpose %m {order = array<i32: 1, 0>} : !rows -> !right
  %u = warp.wgmma %a, %d, %zero : !left, !right, !accs
  %z = warp.wgmma_wait %u {pendings = 0 : i32} : !accs
  %xy = arith.addf %x, %y : !accs
  %xyz = arith.addf %xy, %z : !accs
  tile.return %xyz : !accs
}

// Accumulators that are used before the next wgmma.
// CHECK-LABEL: @used
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[S]] {
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[T]] {
tile.func @used(%a: !left, %b: !right, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %e = arith.addf %x, %x : !accs
  %t = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  %xy = arith.addf %e, %y : !accs
  tile.return %xy : !accs
}

// Accumulators that the next wgmma continues.
// CHECK-LABEL: @chained
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: %[[X:.*]] = warp.wgmma_wait %[[S]] {
// CHECK: %[[T:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[X]]
// CHECK: warp.wgmma_wait %[[T]] {
tile.func @chained(%a: !left, %b: !right, %zero: !accs) -> !accs attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %a, %b, %x : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  tile.return %y : !accs
}

// A slot is released in between: its wgmmas are done.
// CHECK-LABEL: @released
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[S]] {
// CHECK: warp.ring.release
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[T]] {
tile.func @released(%b: !right, %zero: !accs) -> (!accs, !accs) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !warp.ring<2 x {!left}, transactions>
  %slot, %a = warp.ring.wait %ring : !warp.ring<2 x {!left}, transactions>
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  warp.ring.release %slot
  %next, %c = warp.ring.wait %ring : !warp.ring<2 x {!left}, transactions>
  %t = warp.wgmma %c, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  warp.ring.release %next
  tile.return %x, %y : !accs, !accs
}

// A slot is waited for in between; the first accumulators may be complete by
// then.
// CHECK-LABEL: @filled
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[S]] {
// CHECK: warp.ring.wait
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[T]] {
tile.func @filled(%a: !left, %b: !right, %zero: !accs) -> (!accs, !accs) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !warp.ring<2 x {!left}, transactions>
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %slot, %c = warp.ring.wait %ring : !warp.ring<2 x {!left}, transactions>
  %t = warp.wgmma %c, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  warp.ring.release %slot
  tile.return %x, %y : !accs, !accs
}

// A wait that leaves a wgmma in flight.
// CHECK-LABEL: @running
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 1 : i32}
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
tile.func @running(%a: !left, %b: !right, %zero: !accs) -> (!accs, !accs, !accs) attributes {warp.num_warps = 4 : i32} {
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %u = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 1 : i32} : !accs
  %e = arith.addf %y, %y : !accs
  %z = warp.wgmma_wait %u {pendings = 0 : i32} : !accs
  tile.return %x, %e, %z : !accs, !accs, !accs
}

// Explicit kernels do not change.
// CHECK-LABEL: @explicit
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[S]] {
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK: warp.wgmma_wait %[[T]] {
tile.func @explicit(%a: !left, %b: !right, %zero: !accs) -> (!accs, !accs) attributes {warp.num_warps = 4 : i32, warp.explicit} {
  %s = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !accs
  %t = warp.wgmma %a, %b, %zero : !left, !right, !accs
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !accs
  tile.return %x, %y : !accs, !accs
}
