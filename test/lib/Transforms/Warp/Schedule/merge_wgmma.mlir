// RUN: tilewright-opt %s -warp-merge-wgmma | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
// B operands of 32 and 16 rows, which are read transposed.
#n32 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0]]}>
#n16 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0]]}>
#t32 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16]]}>
#t16 = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!left = !warp.shared<64x16xf16, #a>
!m32 = !warp.shared<32x16xf16, #n32>
!m16 = !warp.shared<16x16xf16, #n16>
!b32 = !warp.shared<16x32xf16, #t32>
!b16 = !warp.shared<16x16xf16, #t16>
!wide = tensor<64x32xf32, #w>
!narrow = tensor<64x16xf32, #c>
!ring = !warp.ring<2 x {!left, !m32, !m16}, transactions>

// Adjacent tiles of one slot. The ops between the wgmmas have no effects.
// CHECK-LABEL: @merged
// CHECK: %[[SLOT:.*]], %[[T:.*]]:3 = warp.ring.wait
// CHECK: %[[B:.*]] = warp.shared_transpose %[[T]]#1
// CHECK: %[[D:.*]] = warp.shared_transpose %[[T]]#2
// CHECK: %[[S:.*]]:2 = warp.wgmma %[[T]]#0, [%[[B]], %[[D]]], [%{{.*}}, %{{.*}}]
// CHECK: warp.wgmma_wait %[[S]]#0, %[[S]]#1 {pendings = 0 : i32}
tile.func @merged(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}

// The narrow one first: its columns follow the wide one's.
// CHECK-LABEL: @wrong_order
// CHECK-COUNT-2: warp.wgmma %
tile.func @wrong_order(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}

// One of the accumulators starts at zero.
// CHECK-LABEL: @zero
// CHECK-COUNT-2: warp.wgmma %
tile.func @zero(%u: !wide) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %v = arith.constant dense<0.0> : !narrow
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}

// The first is waited for before the second starts.
// CHECK-LABEL: @waits
// CHECK-COUNT-2: warp.wgmma %
tile.func @waits(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %x = warp.wgmma_wait %s {pendings = 0 : i32} : !wide
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !narrow
  warp.ring.release %slot
  tile.return %x, %y : !wide, !narrow
}

// The second adds to the result of the first.
// CHECK-LABEL: @chained
// CHECK-COUNT-2: warp.wgmma %
tile.func @chained(%v: !narrow) -> !narrow attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !warp.ring<2 x {!left, !m16, !m16}, transactions>
  %slot, %l, %m, %n = warp.ring.wait %ring : !warp.ring<2 x {!left, !m16, !m16}, transactions>
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m16 -> !b16
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %s = warp.wgmma %l, %b, %v : !left, !b16, !narrow
  %t = warp.wgmma %l, %d, %s : !left, !b16, !narrow
  %y = warp.wgmma_wait %t {pendings = 0 : i32} : !narrow
  warp.ring.release %slot
  tile.return %y : !narrow
}

// The addresses of these are unknown.
// CHECK-LABEL: @elsewhere
// CHECK-COUNT-2: warp.wgmma %
tile.func @elsewhere(%l: !left, %u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %b = warp.alloc : !b32
  %d = warp.alloc : !b16
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %w:2 = warp.wgmma_wait %s, %t {pendings = 0 : i32} : !wide, !narrow
  tile.return %w#0, %w#1 : !wide, !narrow
}

// The wait counts the two as one. It waits for the first of `some`, and so for
// both.
// CHECK-LABEL: @running
// CHECK: %[[S:.*]]:2 = warp.wgmma
// CHECK: warp.wgmma_wait {{.*}} {pendings = 1 : i32}
// CHECK: warp.wgmma_wait {{.*}} {pendings = 0 : i32}
// CHECK: warp.wgmma_wait {{.*}} {pendings = 0 : i32}
tile.func @running(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %all:2 = warp.wgmma_wait %s, %t {pendings = 2 : i32} : !wide, !narrow
  %some:2 = warp.wgmma_wait %all#0, %all#1 {pendings = 1 : i32} : !wide, !narrow
  %w:2 = warp.wgmma_wait %some#0, %some#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}

// The wgmmas that the wait leaves in flight start in another block: how many
// groups they are is unknown.
// CHECK-LABEL: @elsewhere_running
// CHECK-COUNT-2: warp.wgmma %
tile.func @elsewhere_running(%u: !wide, %v: !narrow, %any: i1) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  %slot, %l, %m, %n = warp.ring.wait %ring : !ring
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %s = warp.wgmma %l, %b, %u : !left, !b32, !wide
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %t = warp.wgmma %l, %d, %v : !left, !b16, !narrow
  %p:2 = scf.if %any -> (!wide, !narrow) {
    %x:2 = warp.wgmma_wait %s, %t {pendings = 1 : i32} : !wide, !narrow
    scf.yield %x#0, %x#1 : !wide, !narrow
  } else {
    scf.yield %s, %t : !wide, !narrow
  }
  %w:2 = warp.wgmma_wait %p#0, %p#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}

!ring3 = !warp.ring<2 x {!left, !m32, !m16, !m16}, transactions>

// A wgmma of two dots takes a third one. The wait counts it as one group.
// CHECK-LABEL: @extended
// CHECK: %[[S:.*]]:3 = warp.wgmma %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}], [%arg0, %arg1, %arg1]
// CHECK-NEXT: warp.wgmma_wait %[[S]]#0, %[[S]]#1, %[[S]]#2 {pendings = 1 : i32}
tile.func @extended(%u: !wide, %v: !narrow) -> (!wide, !narrow) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring3
  %slot, %l, %m, %n, %o = warp.ring.wait %ring : !ring3
  %b = warp.shared_transpose %m {order = array<i32: 1, 0>} : !m32 -> !b32
  %d = warp.shared_transpose %n {order = array<i32: 1, 0>} : !m16 -> !b16
  %e = warp.shared_transpose %o {order = array<i32: 1, 0>} : !m16 -> !b16
  %s:2 = warp.wgmma %l, [%b, %d], [%u, %v] : !left, [!b32, !b16], [!wide, !narrow]
  %t = warp.wgmma %l, %e, %v : !left, !b16, !narrow
  %all:3 = warp.wgmma_wait %s#0, %s#1, %t {pendings = 2 : i32} : !wide, !narrow, !narrow
  %w:2 = warp.wgmma_wait %all#0, %all#1 {pendings = 0 : i32} : !wide, !narrow
  warp.ring.release %slot
  tile.return %w#0, %w#1 : !wide, !narrow
}
