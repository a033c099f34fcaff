// RUN: tilewright-opt %s -split-input-file -warp-defer-wgmma-waits | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -warp-defer-wgmma-waits=limit=1024 | FileCheck %s --check-prefix=SMALL

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t = #warp.linear<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
!as = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, transactions>
!bs = !warp.ring<3 x {!warp.shared<16x16xi8, #b>}, transactions>

// A computed operand: its memory is allocated before the loop. The wait for the previous iteration's wgmma follows the
// computation of the next operand and precedes its store.
// CHECK-LABEL: @computed
// CHECK: %[[M:.*]] = warp.alloc : !warp.shared<16x16xf16
// CHECK: scf.if
// CHECK:   warp.local_store %{{.*}}, %[[M]]
// CHECK-NOT: warp.wgmma_wait
// CHECK:   warp.wgmma %{{.*}}, %[[M]]
// CHECK:   scf.if
// CHECK:     %[[L:.*]]:2 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:       %[[H:.*]] = arith.sitofp
// CHECK:       %[[W:.*]] = warp.wgmma_wait %[[P]] {pendings = 0 : i32}
// CHECK-NEXT:  warp.ring.release %[[X]]{{$}}
// CHECK-NEXT:  warp.local_store %[[H]], %[[M]]
// CHECK:       %[[Y:.*]], %{{.*}} = warp.ring.wait
// CHECK:       %[[S:.*]] = warp.wgmma %{{.*}}, %[[M]], %[[W]]
// CHECK-NEXT:  scf.yield %[[S]], %[[Y]]
// CHECK:     warp.wgmma_wait %[[L]]#0 {pendings = 0 : i32}
// CHECK:     warp.ring.release %[[L]]#1
// If the tiles do not fit into disjoint memory, the wgmma is waited for at once.
// SMALL-LABEL: @computed
// SMALL: scf.for
// SMALL: %[[S:.*]] = warp.wgmma
// SMALL-NEXT: warp.wgmma_wait %[[S]]
tile.func @computed(%n: i32) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %first = warp.ring : !as
  %bytes = warp.ring : !bs
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %none) -> tensor<64x16xf32, #c> : i32 {
    %y, %w = warp.ring.wait %bytes : !bs
    %t = warp.local_load %w : !warp.shared<16x16xi8, #b> -> tensor<16x16xi8, #t>
    warp.ring.release %y
    %h = arith.sitofp %t : tensor<16x16xi8, #t> to tensor<16x16xf16, #t>
    %m = warp.alloc %h : (tensor<16x16xf16, #t>) -> !warp.shared<16x16xf16, #b>
    %x, %a = warp.ring.wait %first : !as
    %s = warp.wgmma %a, %m, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    scf.yield %v : tensor<64x16xf32, #c>
  }
  tile.return %r : tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t = #warp.linear<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
!as = !warp.ring<3 x {!warp.shared<64x16xf16, #a>}, transactions>

// An operand that threads load and store unchanged leaves no work to overlap.
// CHECK-LABEL: @loaded
// CHECK-NOT: warp.wgmma
// CHECK: scf.for
// CHECK: tile.load
// CHECK: %[[M:.*]] = warp.alloc %
// CHECK: %[[S:.*]] = warp.wgmma %{{.*}}, %[[M]]
// CHECK-NEXT: warp.wgmma_wait %[[S]]
tile.func @loaded(%n: i32, %at: tensor<16x16x!tile.ptr<f16>, #t>) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %first = warp.ring : !as
  %r = scf.for %i = %zero to %n step %one iter_args(%p = %none) -> tensor<64x16xf32, #c> : i32 {
    %h = tile.load %at : tensor<16x16x!tile.ptr<f16>, #t>
    %m = warp.alloc %h : (tensor<16x16xf16, #t>) -> !warp.shared<16x16xf16, #b>
    %x, %a = warp.ring.wait %first : !as
    %s = warp.wgmma %a, %m, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    scf.yield %v : tensor<64x16xf32, #c>
  }
  tile.return %r : tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#r = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t = #warp.linear<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
!copies = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xi8, #b>}, async_groups>

// Threads compute one operand and copy the other. The next copies move to after the wait, with their addresses, which
// followed the wgmma.
// CHECK-LABEL: @computed_and_copied
// CHECK: scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:     %[[H:.*]] = arith.sitofp
// CHECK:     %[[W:.*]] = warp.wgmma_wait %[[P]] {pendings = 0 : i32}
// CHECK-NEXT: warp.ring.release %[[X]]{{$}}
// CHECK-NEXT: warp.barrier
// CHECK:     %[[Q:.*]] = tile.addptr
// CHECK-NEXT: %[[E:.*]], %[[T:.*]]:2 = warp.ring.acquire
// CHECK-NEXT: warp.async_copy %[[Q]], %[[T]]#0
// CHECK-NEXT: warp.ring.commit %[[E]]
// CHECK-NEXT: warp.local_store %[[H]]
// CHECK-NEXT: warp.wgmma {{.*}}, %[[W]]
// CHECK-NOT:  warp.ring.acquire
// CHECK:     scf.yield
tile.func @computed_and_copied(%p: tensor<64x16x!tile.ptr<f16>, #r>, %n: i32) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !copies
  %sum:3 = scf.for %i = %zero to %n step %one iter_args(%acc = %none, %read = %zero, %fill = %two) -> (tensor<64x16xf32, #c>, i32, i32) : i32 {
    %x, %a:2 = warp.ring.wait %ring[%read] pending 1 : !copies
    warp.barrier
    %w = warp.local_load %a#1 : !warp.shared<16x16xi8, #b> -> tensor<16x16xi8, #t>
    %h = arith.sitofp %w : tensor<16x16xi8, #t> to tensor<16x16xf16, #t>
    %m = warp.alloc %h : (tensor<16x16xf16, #t>) -> !warp.shared<16x16xf16, #b>
    %s = warp.wgmma %a#0, %m, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %steps = tile.splat %i : i32 -> tensor<64x16xi32, #r>
    %q = tile.addptr %p, %steps : tensor<64x16x!tile.ptr<f16>, #r>, tensor<64x16xi32, #r>
    %e, %t:2 = warp.ring.acquire %ring[%fill] : !copies
    warp.async_copy %q, %t#0 vector 8 : tensor<64x16x!tile.ptr<f16>, #r>, !warp.shared<64x16xf16, #a>
    warp.ring.commit %e
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    scf.yield %d, %fill, %read : tensor<64x16xf32, #c>, i32, i32
  }
  tile.return %sum#0 : tensor<64x16xf32, #c>
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#t = #warp.linear<{register = [[1, 0]], lane = [[2, 0], [4, 0], [8, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
!both = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// A wgmma that reads slots precedes the computed operand: the wait precedes the use of its accumulator.
// CHECK-LABEL: @wgmma_before_computed
// CHECK: %[[L:.*]]:3 = scf.for {{.*}} iter_args(%[[P:.*]] = %{{.*}}, %[[Q:.*]] = %{{.*}}, %[[X:.*]] = %{{.*}})
// CHECK:      %[[W:.*]]:2 = warp.wgmma_wait %[[P]], %[[Q]] {pendings = 0 : i32}
// CHECK-NEXT: warp.ring.release %[[X]]{{$}}
// CHECK-NEXT: %[[S:.*]] = warp.wgmma {{.*}}, %[[W]]#0
// CHECK:      warp.local_store
// CHECK-NEXT: %[[T:.*]] = warp.wgmma {{.*}}, %[[W]]#1
// CHECK-NEXT: scf.yield %[[S]], %[[T]]
tile.func @wgmma_before_computed(%n: i32, %at: tensor<16x16x!tile.ptr<f32>, #t>) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !both
  %r:2 = scf.for %i = %zero to %n step %one iter_args(%p = %none, %q = %none) -> (tensor<64x16xf32, #c>, tensor<64x16xf32, #c>) : i32 {
    %x, %a:2 = warp.ring.wait %ring : !both
    %s = warp.wgmma %a#0, %a#1, %p : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    %f = tile.load %at : tensor<16x16x!tile.ptr<f32>, #t>
    %h = arith.truncf %f : tensor<16x16xf32, #t> to tensor<16x16xf16, #t>
    %m = warp.alloc %h : (tensor<16x16xf16, #t>) -> !warp.shared<16x16xf16, #b>
    %u = warp.wgmma %a#0, %m, %q : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %w = warp.wgmma_wait %u {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %x
    scf.yield %v, %w : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
  }
  tile.return %r#0, %r#1 : tensor<64x16xf32, #c>, tensor<64x16xf32, #c>
}
