// RUN: tilewright-opt %s -split-input-file -warp-defer-wgmma-waits | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!as = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, transactions>
!bs = !warp.ring<3 x {!warp.shared<16x16xf16, #b>}, transactions>

// Two accumulators of a block: the wgmmas of an iteration start one after the other, and one wait leaves both in
// flight. No slot is released before it. The first iteration is peeled.
// CHECK-LABEL: @two_accs
// CHECK: scf.if
// CHECK-COUNT-2: warp.wgmma %
// CHECK: scf.if
// CHECK:   %[[L:.*]]:5 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}})
// CHECK:     %[[S:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[P]]
// CHECK-NOT: warp.wgmma_wait
// CHECK:     %[[T:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[Q]]
// CHECK:     %[[W:.*]]:2 = warp.wgmma_wait %[[S]], %[[T]] {pendings = 2 : i32}
// CHECK:     warp.ring.release %[[X]]{{$}}
// CHECK:     warp.ring.release %[[Y]]{{$}}
// CHECK:     warp.ring.release %[[Z]]{{$}}
// CHECK:     scf.yield %[[W]]#0, %[[W]]#1
// CHECK:   %[[D:.*]]:2 = warp.wgmma_wait %[[L]]#0, %[[L]]#1 {pendings = 0 : i32}
// CHECK-COUNT-3: warp.ring.release
// CHECK:   scf.yield %[[D]]#0, %[[D]]#1
// CHECK: } else {
tile.func @two_accs(%n: i32) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %first = warp.ring : !as
  %second = warp.ring : !as
  %others = warp.ring : !bs
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %none, %q = %none) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) : i32 {
    %x, %a = warp.ring.wait %first : !as
    %y, %b = warp.ring.wait %others : !bs
    %s = warp.wgmma %a, %b, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    %z, %d = warp.ring.wait %second : !as
    %t = warp.wgmma %d, %b, %q : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %w = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %y
    warp.ring.release %z
    scf.yield %v, %w : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  }
  tile.return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!as = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, transactions>
!bs = !warp.ring<3 x {!warp.shared<16x16xf16, #b>}, transactions>
#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bw = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]]}>
!ws = !warp.ring<3 x {!warp.shared<16x256xf16, #bw>}, transactions>

// Accumulators of 136 registers: the first iteration stays in the loop and holds no slots.
// CHECK-LABEL: @wide_accs
// CHECK: scf.if
// CHECK-NOT: warp.wgmma
// CHECK:   %[[L:.*]]:6 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}}, %[[Y:.*]] = %{{.*}}, %[[Z:.*]] = %{{.*}}, %[[A:.*]] = %{{.*}})
// CHECK:     %[[S:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[P]]
// CHECK-NOT: warp.wgmma_wait
// CHECK:     %[[T:.*]] = warp.wgmma %{{.*}}, %{{.*}}, %[[Q]]
// CHECK:     %[[W:.*]]:2 = warp.wgmma_wait %[[S]], %[[T]] {pendings = 2 : i32}
// CHECK:     warp.ring.release %[[X]] if
// CHECK:     warp.ring.release %[[Y]] if
// CHECK:     warp.ring.release %[[Z]] if
// CHECK:     warp.ring.release %[[A]] if
// CHECK:     scf.yield %[[W]]#0, %[[W]]#1
// CHECK:   %[[D:.*]]:2 = warp.wgmma_wait %[[L]]#0, %[[L]]#1 {pendings = 0 : i32}
// CHECK-COUNT-4: warp.ring.release
// CHECK:   scf.yield %[[D]]#0, %[[D]]#1
// CHECK: } else {
tile.func @wide_accs(%n: i32) -> (tensor<64x16xf32, #c>, tensor<64x256xf32, #w>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %wide = arith.constant dense<0.0> : tensor<64x256xf32, #w>
  %wides = warp.ring : !ws
  %first = warp.ring : !as
  %second = warp.ring : !as
  %others = warp.ring : !bs
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %none, %q = %wide) -> (tensor<64x16xf32, #c>, tensor<64x256xf32, #w>) : i32 {
    %x, %a = warp.ring.wait %first : !as
    %y, %b = warp.ring.wait %others : !bs
    %s = warp.wgmma %a, %b, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    %z, %d = warp.ring.wait %second : !as
    %u, %e = warp.ring.wait %wides : !ws
    %t = warp.wgmma %d, %e, %q : !warp.shared<64x16xf16, #a>, !warp.shared<16x256xf16, #bw>, tensor<64x256xf32, #w>
    %w = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x256xf32, #w>
    warp.ring.release %y
    warp.ring.release %z
    warp.ring.release %u
    scf.yield %v, %w : tensor<64x16xf32, #c>, tensor<64x256xf32, #w>
  }
  tile.return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<64x256xf32, #w>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// One of two accumulators is needed at once: nothing changes.
// CHECK-LABEL: @used_at_once
// CHECK-COUNT-2: warp.wgmma_wait %{{.*}} {pendings = 0 : i32} : tensor<64x16xf32, #{{.*}}>
// CHECK-NOT: warp.wgmma_wait
tile.func @used_at_once(%n: i32) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %none, %q = %none) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %s = warp.wgmma %a, %b, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    %t = warp.wgmma %a, %b, %q : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %w = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    %e = arith.addf %w, %none : tensor<64x16xf32, #c>
    scf.yield %v, %e : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  }
  tile.return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}

// -----

// Accumulators of 16 bits share registers. Passing them on would move them, which a wgmma in flight does not allow.
#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ab = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>
// CHECK-LABEL: @narrow_accs
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
tile.func @narrow_accs(%n: i32) -> tensor<64x16xf16, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf16, #c>
  %ring = warp.ring : !ab
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %none) -> (tensor<64x16xf16, #c>) : i32 {
    %slot, %x, %y = warp.ring.wait %ring : !ab
    %s = warp.wgmma %x, %y, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf16, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf16, #c>
    warp.ring.release %slot
    scf.yield %d : tensor<64x16xf16, #c>
  }
  tile.return %sum : tensor<64x16xf16, #c>
}
