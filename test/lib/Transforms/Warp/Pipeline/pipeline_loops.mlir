// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=3" -canonicalize | FileCheck %s
// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=8 limit=2100" | FileCheck %s --check-prefix=SHORT
// RUN: tilewright-opt %s -warp-pipeline-loops -warp-allocate-shared -warp-insert-barriers -warp-check-barriers \
// RUN:   | FileCheck %s --check-prefix=BARRIERS

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#columns = #warp.linear<{register = [[1, 0], [2, 0], [4, 0]], lane = [[8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#turned = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>

// A loop-carried pointer, and a mask that depends on the loop's index.
// CHECK-LABEL: @carried
// CHECK-SAME: %{{[^:]*}}: tensor<16x16x!tile.ptr<f16>
// CHECK-SAME: %[[N:[^:]*]]: i32
// SHORT-LABEL: @carried
// SHORT: warp.ring : !warp.ring<4 x
// BARRIERS-LABEL: @carried
tile.func @carried(%p: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c16 = arith.constant 16 : i32
  %step = arith.constant dense<16> : tensor<16x16xi32, #rows>
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %base = tile.splat %c0 : i32 -> tensor<16x16xi32, #rows>
  %ptrs = tile.addptr %p, %base {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
  // The number of iterations; the copies of the first two.
  // CHECK-DAG: %[[P:.*]] = tile.addptr %{{.*}} {tile.contiguity
  // CHECK-DAG: %[[RING:.*]] = warp.ring : !warp.ring<3 x {!warp.shared<16x16xf16, #{{.*}}>}, async_groups>
  // CHECK: %[[RUNS:.*]] = arith.cmpi sgt, %[[N]], %c0_i32
  // CHECK: %[[TRIPS:.*]] = arith.select %[[RUNS]], %{{.*}}, %c0_i32
  // CHECK: %[[ANY:.*]] = arith.cmpi ugt, %[[TRIPS]], %c0_i32
  // CHECK: %[[P1:.*]] = tile.addptr %[[P]]
  // CHECK: %[[S0:.*]], %[[T0:.*]] = warp.ring.acquire %[[RING]][%c0_i32]
  // CHECK: warp.async_copy %[[P]], %[[T0]] mask %{{.*}} if %[[ANY]] vector 8
  // CHECK: warp.ring.commit %[[S0]]
  // CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[TRIPS]], %c1_i32
  // CHECK: %[[P2:.*]] = tile.addptr %[[P1]]
  // CHECK: %[[S1:.*]], %[[T1:.*]] = warp.ring.acquire %[[RING]][%c1_i32]
  // CHECK: warp.async_copy %[[P1]], %[[T1]] mask %{{.*}} if %[[MORE]] vector 8
  // CHECK: warp.ring.commit %[[S1]]

  // The pointer that only the load needed is carried for the early copies alone.
  // CHECK: scf.for %{{.*}} = %c0_i32 to %[[N]] step %c16_i32 iter_args(%[[X:.*]] = %{{.*}}, %[[READ:.*]] = %c0_i32, %[[FILL:.*]] = %c2_i32, %[[LEFT:.*]] = %[[TRIPS]], %[[I:.*]] = %c32_i32, %[[Q:.*]] = %[[P2]])
  // CHECK-NEXT: %[[FULL:.*]], %[[TILE:.*]] = warp.ring.wait %[[RING]][%[[READ]]] pending 1
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: %[[ENABLE:.*]] = arith.cmpi ugt, %[[LEFT]], %c2_i32
  // CHECK: %[[NEXT:.*]] = tile.addptr %[[Q]]
  // CHECK: %[[EMPTY:.*]], %[[INTO:.*]] = warp.ring.acquire %[[RING]][%[[FILL]]]
  // CHECK: warp.async_copy %[[Q]], %[[INTO]] mask %{{.*}} if %[[ENABLE]] vector 8
  // CHECK: warp.ring.commit %[[EMPTY]]
  // CHECK: %[[INDEX:.*]] = arith.addi %[[I]], %c16_i32
  // CHECK: warp.local_load %[[TILE]]
  // CHECK: warp.ring.release %[[FULL]]
  // CHECK: %[[UP:.*]] = arith.addi %[[READ]], %c1_i32
  // CHECK: %[[WRAPS:.*]] = arith.cmpi eq, %[[UP]], %c3_i32
  // CHECK: %[[WRAPPED:.*]] = arith.select %[[WRAPS]], %c0_i32, %[[UP]]
  // CHECK: %[[REST:.*]] = arith.subi %[[LEFT]], %c1_i32
  // CHECK: scf.yield %{{.*}}, %[[WRAPPED]], %[[READ]], %[[REST]], %[[INDEX]], %[[NEXT]]

  // One barrier per iteration is enough.
  // BARRIERS: scf.for
  // BARRIERS: warp.ring.wait
  // BARRIERS-NEXT: warp.barrier
  // BARRIERS-NOT: warp.barrier
  // BARRIERS: tile.return
  %sum, %last = scf.for %i = %c0 to %n step %c16 iter_args(%x = %zero, %q = %ptrs) -> (tensor<16x16xf16, #rows>, tensor<16x16x!tile.ptr<f16>, #rows>) : i32 {
    %left = arith.subi %n, %i : i32
    %lefts = tile.splat %left : i32 -> tensor<16x16xi32, #rows>
    %m = arith.cmpi sgt, %lefts, %base : tensor<16x16xi32, #rows>
    %t = tile.load %q, %m, %zero : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %y = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    %r = tile.addptr %q, %step : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    scf.yield %z, %r : tensor<16x16xf16, #rows>, tensor<16x16x!tile.ptr<f16>, #rows>
  }
  tile.return %sum : tensor<16x16xf16, #rows>
}

// Two loads share a slot; one is transposed on its way, and so are its pointers. A hint on the loop overrides the
// option.
// CHECK-LABEL: @two
// CHECK: warp.ring : !warp.ring<2 x {!warp.shared<16x16xf16, #[[A:.*]]>, !warp.shared<16x16xf16, #[[B:.*]]>}, async_groups>
// CHECK: %{{.*}}, %[[T:.*]]:2 = warp.ring.acquire
// CHECK: warp.async_copy %{{.*}}, %[[T]]#0 if %{{.*}} vector 8
// CHECK: %[[V:.*]] = tile.transpose
// CHECK: warp.async_copy %{{.*}}, %[[T]]#1 if %{{.*}} vector 8
// CHECK: scf.for
// CHECK: warp.ring.wait {{.*}} pending 0
// CHECK: } {tile.flatten, tile.num_stages = 2 : i32}
tile.func @two(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ptrs = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #rows>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32, #warp.linear<{register = [[1], [2], [4]], lane = [[8], [0], [0], [0], [0]]}>>
  %e = tile.expand_dims %r {axis = 0 : i32} : tensor<16xi32, #warp.linear<{register = [[1], [2], [4]], lane = [[8], [0], [0], [0], [0]]}>> -> tensor<1x16xi32, #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 0], [0, 0], [0, 0], [0, 0]]}>>
  %b = tile.broadcast %e : tensor<1x16xi32, #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [0, 0], [0, 0], [0, 0], [0, 0]]}>> -> tensor<16x16xi32, #rows>
  %q = tile.addptr %ptrs, %b : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%a = %zero) -> (tensor<16x16xf16, #rows>) : i32 {
    %t = tile.load %q : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %u = tile.load %q : tensor<16x16x!tile.ptr<f16>, #rows>
    %v = tile.transpose %u {order = array<i32: 1, 0>} : tensor<16x16xf16, #rows> -> tensor<16x16xf16, #columns>
    %w = warp.alloc %v : (tensor<16x16xf16, #columns>) -> !warp.shared<16x16xf16, #turned>
    %x = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %y = warp.local_load %w : !warp.shared<16x16xf16, #turned> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    %d = arith.addf %a, %z : tensor<16x16xf16, #rows>
    scf.yield %d : tensor<16x16xf16, #rows>
  } {tile.flatten, tile.num_stages = 2 : i32}
  tile.return %sum : tensor<16x16xf16, #rows>
}

// The page is loaded an iteration earlier than the data in it, and nothing is loaded past the last iteration. The loop
// itself does not use it any more.
// CHECK-LABEL: @paged
// CHECK-SAME: %[[P:[^:]*]]: tensor<16x16x!tile.ptr<f16>
// CHECK-SAME: %[[TABLE:[^:]*]]: !tile.ptr<i32>
// CHECK-SAME: %[[N:[^:]*]]: i32
// CHECK-DAG: %[[RING:.*]] = warp.ring : !warp.ring<2 x
// CHECK: %[[TRIPS:.*]] = arith.select
// CHECK: %[[FIRST:.*]] = arith.cmpi ugt, %[[TRIPS]], %c0_i32
// CHECK: %[[PAGE0:.*]] = tile.load %[[TABLE]], %[[FIRST]] : !tile.ptr<i32>
// CHECK: %[[SECOND:.*]] = arith.cmpi ugt, %[[TRIPS]], %c1_i32
// CHECK: %[[Q1:.*]] = tile.addptr %[[TABLE]], %c1_i32
// CHECK: %[[PAGE1:.*]] = tile.load %[[Q1]], %[[SECOND]] : !tile.ptr<i32>
// CHECK: %[[ANY:.*]] = arith.cmpi ugt, %[[TRIPS]], %c0_i32
// CHECK: %[[AT0:.*]] = tile.splat %[[PAGE0]]
// CHECK: %[[R0:.*]] = tile.addptr %[[P]], %[[AT0]]
// CHECK: warp.async_copy %[[R0]], %{{.*}} if %[[ANY]] vector 8
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[LEFT:.*]] = %[[TRIPS]], %{{[^,]*}} = %c1_i32, %[[I:.*]] = %c2_i32, %[[PAGE:.*]] = %[[PAGE1]])
// CHECK: warp.ring.wait
// CHECK: %[[ENABLE:.*]] = arith.cmpi ugt, %[[LEFT]], %c1_i32
// CHECK: %[[AT:.*]] = tile.splat %[[PAGE]]
// CHECK: %[[R:.*]] = tile.addptr %[[P]], %[[AT]]
// CHECK: warp.async_copy %[[R]], %{{.*}} if %[[ENABLE]] vector 8
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %c2_i32
// CHECK: %[[Q:.*]] = tile.addptr %[[TABLE]], %[[I]]
// CHECK: %[[NEXT:.*]] = tile.load %[[Q]], %[[MORE]] : !tile.ptr<i32>
// CHECK-NOT: tile.load
// CHECK: warp.local_load
// CHECK: scf.yield {{.*}}, %[[NEXT]] :
tile.func @paged(%p: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %table: !tile.ptr<i32>, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %zeros = arith.constant dense<0> : tensor<16x16xi32, #rows>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x16xf16, #rows>) : i32 {
    %q = tile.addptr %table, %i : !tile.ptr<i32>, i32
    %page = tile.load %q : !tile.ptr<i32>
    %at = tile.splat %page : i32 -> tensor<16x16xi32, #rows>
    %r = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %t = tile.load %r : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %y = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    scf.yield %z : tensor<16x16xf16, #rows>
  } {tile.num_stages = 2 : i32}
  tile.return %sum : tensor<16x16xf16, #rows>
}

// A row for each element, found through another one, with its own mask. The loop uses it, too.
// CHECK-LABEL: @rows
// CHECK-SAME: %[[P:[^:]*]]: tensor<16x16x!tile.ptr<f16>
// CHECK-SAME: %[[Q:[^:]*]]: tensor<16x16x!tile.ptr<i32>
// CHECK-SAME: %[[M:[^:]*]]: tensor<16x16xi1
// CHECK: scf.for {{.*}} iter_args({{.*}}, %[[LEFT:[^ ,]*]] = %{{[^,]*}}, %{{[^,]*}}, %{{[^,]*}}, %[[ROW:[^ ]*]] = %{{[^,)]*}})
// CHECK: warp.ring.wait
// CHECK: %[[R:.*]] = tile.addptr %[[P]], %[[ROW]]
// CHECK: warp.async_copy %[[R]]
// CHECK: %[[MORE:.*]] = arith.cmpi ugt, %[[LEFT]], %c2_i32
// CHECK: %[[ALL:.*]] = tile.splat %[[MORE]] : i1
// CHECK: %[[MASK:.*]] = arith.andi %[[M]], %[[ALL]]
// CHECK: %[[STEP:.*]] = tile.load %[[Q]], %[[MASK]]
// CHECK: %[[THERE:.*]] = tile.addptr %[[Q]], %[[STEP]]
// CHECK: %[[ALL2:.*]] = tile.splat %[[MORE]] : i1
// CHECK: %[[NEXT:.*]] = tile.load %[[THERE]], %[[ALL2]]
// CHECK: %[[OWN:.*]] = tile.load %[[Q]], %[[M]]
// CHECK: warp.local_load
// CHECK: tile.store %{{.*}}, %[[OWN]]
// CHECK: scf.yield {{.*}}, %[[NEXT]] :
tile.func @rows(%p: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %q: tensor<16x16x!tile.ptr<i32>, #rows>, %m: tensor<16x16xi1, #rows>, %out: tensor<16x16x!tile.ptr<i32>, #rows>, %n: i32) -> tensor<16x16xf16, #rows> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x16xf16, #rows>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<16x16xf16, #rows>) : i32 {
    %step = tile.load %q, %m : tensor<16x16x!tile.ptr<i32>, #rows>
    %there = tile.addptr %q, %step : tensor<16x16x!tile.ptr<i32>, #rows>, tensor<16x16xi32, #rows>
    %row = tile.load %there : tensor<16x16x!tile.ptr<i32>, #rows>
    %r = tile.addptr %p, %row {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
    %t = tile.load %r : tensor<16x16x!tile.ptr<f16>, #rows>
    %s = warp.alloc %t : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %y = warp.local_load %s : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    %z = arith.addf %x, %y : tensor<16x16xf16, #rows>
    tile.store %out, %step : tensor<16x16x!tile.ptr<i32>, #rows>
    scf.yield %z : tensor<16x16xf16, #rows>
  } {tile.num_stages = 2 : i32}
  tile.return %sum : tensor<16x16xf16, #rows>
}

// Copies are issued while tensor cores compute, not before.

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#ra = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>

// CHECK-LABEL: @under_wgmmas
// CHECK: scf.for
// CHECK: warp.ring.wait
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.wgmma
// CHECK: warp.ring.acquire
// CHECK: warp.async_copy
// CHECK: warp.ring.commit
// CHECK: warp.wgmma_wait
// CHECK: warp.ring.release
tile.func @under_wgmmas(%p: tensor<64x32x!tile.ptr<f16>, #ra>, %b: !warp.shared<32x16xf16, #b>, %zero: tensor<64x16xf32, #c>, %n: i32) -> tensor<64x16xf32, #c> attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x16xf32, #c>) : i32 {
    %at = tile.splat %i : i32 -> tensor<64x32xi32, #ra>
    %q = tile.addptr %p, %at {tile.contiguity = array<i32: 1, 32>, tile.divisibility = array<i32: 16, 16>} : tensor<64x32x!tile.ptr<f16>, #ra>, tensor<64x32xi32, #ra>
    %t = tile.load %q : tensor<64x32x!tile.ptr<f16>, #ra>
    %m = warp.alloc %t : (tensor<64x32xf16, #ra>) -> !warp.shared<64x32xf16, #a>
    %s = warp.wgmma %m, %b, %acc : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
    %r = warp.wgmma %m, %b, %s : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
    %z = warp.wgmma_wait %r {pendings = 0 : i32} : tensor<64x16xf32, #c>
    scf.yield %z : tensor<64x16xf32, #c>
  }
  tile.return %sum : tensor<64x16xf32, #c>
}
