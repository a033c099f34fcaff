// RUN: tilewright-opt %s -split-input-file -warp-defer-wgmma-waits -warp-hoist-epilogue-scalars | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// The coordinates of a tile are computed after its first wgmma, and in the branch without one. Cheap ops sink below the
// loop, as do ops that depend on the accumulator. Ops that the loop uses stay before it.

// CHECK-LABEL: @coords_in_loop
// CHECK-SAME: (%[[P:.*]]: !tile.ptr<f32>, %[[TABLE:.*]]: !tile.ptr<i32>, %[[X:.*]]: i32, %[[Y:.*]]: i32, %{{.*}}: i32)
// CHECK: scf.for %[[TILE:[a-z0-9]+]] =
// CHECK: %[[K:.*]] = arith.divsi %[[TILE]], %[[X]]
// CHECK-NOT: arith.div
// CHECK: %[[R:.*]]:3 = scf.if
// CHECK-NOT: arith.div
// CHECK: warp.wgmma
// CHECK-DAG: %[[TILE1:.*]] = warp.opaque %[[TILE]]
// CHECK-DAG: %[[Y1:.*]] = warp.opaque %[[Y]]
// CHECK-DAG: %[[T1:.*]] = warp.opaque %[[TABLE]]
// CHECK-DAG: %[[ROW:.*]] = arith.divsi %[[TILE1]], %[[Y1]]
// CHECK-DAG: %[[AT:.*]] = tile.addptr %[[T1]], %[[ROW]]
// CHECK-DAG: %[[LOADED:.*]] = tile.load %[[AT]]
// CHECK-DAG: %[[ROW1:.*]] = warp.opaque %[[ROW]]
// CHECK-DAG: %[[LOADED1:.*]] = warp.opaque %[[LOADED]]
// CHECK-NOT: warp.sched_anchor
// CHECK: scf.for {{.*}} to %[[K]]
// CHECK: scf.yield %{{.*}}, %[[ROW1]], %[[LOADED1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: warp.unlikely
// CHECK: arith.divsi
// CHECK: tile.load
// CHECK: scf.yield
// CHECK: arith.muli %[[R]]#1
// CHECK: arith.addi %[[R]]#2
tile.func @coords_in_loop(%p: !tile.ptr<f32>, %table: !tile.ptr<i32>, %x: i32, %y: i32, %tiles: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  scf.for %tile = %zero to %tiles step %one : i32 {
    %k = arith.divsi %tile, %x : i32
    %row = arith.divsi %tile, %y : i32
    %at = tile.addptr %table, %row : !tile.ptr<i32>, i32
    %loaded = tile.load %at : !tile.ptr<i32>
    %r = scf.for %i = %zero to %k step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
      %slot, %a, %b = warp.ring.wait %ring : !ring
      %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
      %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
      warp.ring.release %slot
      scf.yield %v : tensor<64x16xf32, #c>
    }
    %cheap = arith.muli %row, %y : i32
    %sum = arith.addi %loaded, %cheap : i32
    %to = tile.addptr %p, %sum : !tile.ptr<f32>, i32
    %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
    tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  }
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// A program's only tile has no other tile's dots to overlap: its coordinates are computed before the wait for the first
// copies. Loads may come later.

// CHECK-LABEL: @coords(
// CHECK-SAME: %[[X:[a-z0-9]+]]: i32, %[[Y:[a-z0-9]+]]: i32)
// CHECK: %[[R:.*]]:3 = scf.if
// CHECK: %[[ROW:.*]] = arith.divsi
// CHECK: %[[LOADED:.*]] = tile.load
// CHECK: %[[ROW1:.*]] = warp.opaque %[[ROW]]
// CHECK: %[[LOADED1:.*]] = warp.opaque %[[LOADED]]
// CHECK: warp.sched_anchor %[[ROW1]] : i32
// CHECK: warp.ring.wait
// CHECK: warp.wgmma
// CHECK: scf.yield %{{.*}}, %[[ROW1]], %[[LOADED1]]
// CHECK-NEXT: } else {
// CHECK-NEXT: warp.unlikely
// CHECK: arith.divsi
// CHECK-NOT: warp.sched_anchor
// CHECK: scf.yield
// CHECK: arith.muli %[[R]]#1
// CHECK: arith.addi %[[R]]#2
tile.func @coords(%p: !tile.ptr<f32>, %table: !tile.ptr<i32>, %x: i32, %y: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %k = arith.divsi %y, %x : i32
  %row = arith.divsi %x, %y : i32
  %at = tile.addptr %table, %row : !tile.ptr<i32>, i32
  %loaded = tile.load %at : !tile.ptr<i32>
  %r = scf.for %i = %zero to %k step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    scf.yield %v : tensor<64x16xf32, #c>
  }
  %cheap = arith.muli %row, %y : i32
  %sum = arith.addi %loaded, %cheap : i32
  %to = tile.addptr %p, %sum : !tile.ptr<f32>, i32
  %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// Loads do not move past writes, and volatile ones do not move.

// CHECK-LABEL: @writes
// CHECK: tile.load %{{.*}} volatile
// CHECK: %[[EARLY:.*]] = tile.load
// CHECK: tile.store
// CHECK: scf.if
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK: tile.load
tile.func @writes(%p: !tile.ptr<f32>, %table: !tile.ptr<i32>, %k: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %fresh = tile.load %table volatile : !tile.ptr<i32>
  %loaded = tile.load %table : !tile.ptr<i32>
  tile.store %table, %k : !tile.ptr<i32>
  %r = scf.for %i = %zero to %k step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    scf.yield %v : tensor<64x16xf32, #c>
  }
  tile.store %table, %zero : !tile.ptr<i32>
  %again = tile.load %table : !tile.ptr<i32>
  %sum = arith.addi %loaded, %again : i32
  %sum2 = arith.addi %sum, %fresh : i32
  %to = tile.addptr %p, %sum2 : !tile.ptr<f32>, i32
  %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// Nor do they move past writes of the loop itself.

// CHECK-LABEL: @written_in_the_loop
// CHECK: scf.if
// CHECK-NOT: tile.load
// CHECK: tile.store
// CHECK-NOT: tile.load
// CHECK: } else {
// CHECK: }
// CHECK: tile.load
tile.func @written_in_the_loop(%p: !tile.ptr<f32>, %table: !tile.ptr<i32>, %k: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %r = scf.for %i = %zero to %k step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    tile.store %table, %i : !tile.ptr<i32>
    scf.yield %v : tensor<64x16xf32, #c>
  }
  %last = tile.load %table : !tile.ptr<i32>
  %to = tile.addptr %p, %last : !tile.ptr<f32>, i32
  %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#v = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// Loads of more registers start before the last wait, in both branches. So do those of 16 bits, which share registers.
// Their row, from a division, is computed before. Loads of more than 32 registers follow the wait.

// CHECK-LABEL: @loads
// CHECK: %[[R:.*]]:{{[0-9]+}} = scf.if
// CHECK: %[[ROW:.*]] = arith.divsi
// CHECK: %[[ROW1:.*]] = warp.opaque %[[ROW]]
// CHECK: warp.wgmma
// CHECK: %[[S:.*]]:3 = scf.if
// CHECK: scf.for
// CHECK-NOT: tile.load
// CHECK: }
// CHECK: %[[ROW2:.*]] = warp.opaque %[[ROW1]]
// CHECK: tile.addptr %{{.*}}, %[[ROW2]]
// CHECK: %[[WIDE:.*]] = tile.load %{{.*}} : tensor<64x32x!tile.ptr<f32>
// CHECK: %[[HALF:.*]] = tile.load %{{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK-NOT: tile.load
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: scf.yield %{{.*}}, %[[WIDE]], %[[HALF]]
// CHECK-NEXT: } else {
// CHECK: tile.load
// CHECK: tile.load
// CHECK: warp.wgmma_wait
// CHECK: scf.yield
// CHECK: scf.yield %[[S]]#0, %{{.*}}, %[[S]]#1, %[[S]]#2
// CHECK-NEXT: } else {
// CHECK-NEXT: warp.unlikely
// CHECK: tile.load
// CHECK: tile.load
// CHECK: }
// CHECK: %[[LATE:.*]] = tile.load %{{.*}} : tensor<64x32x!tile.ptr<f32>
// CHECK: tile.store %{{.*}}, %[[R]]#2
// CHECK: tile.store %{{.*}}, %[[R]]#3
// CHECK: tile.store %{{.*}}, %[[LATE]]
tile.func @loads(%p: !tile.ptr<f32>, %h: !tile.ptr<f16>, %x: i32, %y: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %row = arith.divsi %x, %y : i32
  %r = scf.for %i = %zero to %x step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    scf.yield %v : tensor<64x16xf32, #c>
  }
  %at = tile.addptr %p, %row : !tile.ptr<f32>, i32
  %wide_at = tile.splat %at : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #w>
  %wide = tile.load %wide_at : tensor<64x32x!tile.ptr<f32>, #w>
  %half_at = tile.splat %h : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>, #v>
  %half = tile.load %half_at : tensor<64x64x!tile.ptr<f16>, #v>
  %late_at = tile.splat %at : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>, #w>
  %late = tile.load %late_at : tensor<64x32x!tile.ptr<f32>, #w>
  tile.store %wide_at, %wide : tensor<64x32x!tile.ptr<f32>, #w>
  tile.store %half_at, %half : tensor<64x64x!tile.ptr<f16>, #v>
  tile.store %late_at, %late : tensor<64x32x!tile.ptr<f32>, #w>
  %to = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %to, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// Loads do not move past a barrier: after it, threads may see stores of other threads from before the loop.

// CHECK-LABEL: @barrier
// CHECK: tile.store
// CHECK: scf.if
// CHECK-NOT: tile.load
// CHECK: warp.barrier
// CHECK-NEXT: tile.load
tile.func @barrier(%p: !tile.ptr<f32>, %table: !tile.ptr<i32>, %k: i32) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  tile.store %table, %k : !tile.ptr<i32>
  %r = scf.for %i = %zero to %k step %one iter_args(%s = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %s : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    scf.yield %v : tensor<64x16xf32, #c>
  }
  warp.barrier
  %again = tile.load %table : !tile.ptr<i32>
  %to = tile.addptr %p, %again : !tile.ptr<f32>, i32
  %ptrs = tile.splat %to : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>, #c>
  tile.store %ptrs, %r : tensor<64x16x!tile.ptr<f32>, #c>
  tile.return
}
