// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3 ping-pong=true' -canonicalize | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3 ping-pong=true' -warp-defer-wgmma-waits \
// RUN:   -canonicalize | FileCheck %s --check-prefix=DEFER
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3 ping-pong=true' -warp-defer-wgmma-waits \
// RUN:   -warp-bind-tensor-maps -canonicalize -cse -warp-allocate-shared -warp-insert-barriers \
// RUN:   -warp-insert-proxy-fences -warp-check-barriers -warp-check-rings -o /dev/null
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=6 ping-pong=true' -canonicalize | FileCheck %s --check-prefix=SIX

// A loop over tiles whose number of blocks is in a table. All groups load that
// number before the tile. One group computes the tile, the other skips its slots.
// The producer has no ping-pong ops.

// CHECK-LABEL: @tiles
// CHECK-SAME: warp.block_warps = 9
// CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x
// CHECK: warp.specialize warps [8, 1] ping_pong_groups 2 {
// CHECK: %[[LEADS:.*]] = warp.pingpong_leads
// CHECK-NEXT: %[[FOLLOWS:.*]] = arith.xori %[[LEADS]], %true
// CHECK-NEXT: scf.if %[[FOLLOWS]] {
// CHECK-NEXT: warp.pingpong_pass
// CHECK-NEXT: }
// CHECK-NEXT: %[[REST:.*]] = scf.for %[[TILE:.*]] = %{{.*}} to %{{.*}} step %{{.*}} iter_args(%[[MINE:.*]] = %[[LEADS]]) -> (i1)
// CHECK-NEXT: %[[AT:.*]] = tile.addptr %{{.*}}, %[[TILE]]
// CHECK-NEXT: %[[K:.*]] = tile.load %[[AT]]
// CHECK-NEXT: scf.if %[[MINE]] {
// CHECK-NEXT: warp.pingpong_wait
// CHECK-NEXT: scf.for %{{.*}} = %{{.*}} to %[[K]] step
// CHECK-NEXT: warp.ring.wait %[[RING]]
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: warp.pingpong_pass
// CHECK: tile.store
// CHECK-NEXT: } else {
// CHECK-NEXT: warp.ring.skip %[[RING]] for %c0{{.*}} to %[[K]] step %c32{{.*}}transactions>
// CHECK-NEXT: }
// CHECK-NEXT: %[[THEIRS:.*]] = arith.xori %[[MINE]], %true
// CHECK-NEXT: scf.yield %[[THEIRS]]
// CHECK-NEXT: }
// CHECK-NEXT: scf.if %[[REST]] {
// CHECK-NEXT: warp.pingpong_wait
// CHECK-NEXT: }
// CHECK-NEXT: }, {
// CHECK-NOT: pingpong
// CHECK: tile.return

// The pass comes before the wait for the last wgmmas, on every path.
// DEFER-LABEL: @tiles
// DEFER: warp.pingpong_wait
// DEFER: warp.ring.wait
// DEFER-NEXT: warp.wgmma
// DEFER: scf.for
// DEFER: scf.yield
// DEFER-NEXT: }
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.wgmma_wait {{.*}} {pendings = 0 : i32}
// DEFER: } else {
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.wgmma_wait {{.*}} {pendings = 0 : i32}
// DEFER: } else {
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.unlikely
tile.func @tiles(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %table: !tile.ptr<i32>, %n: i64, %s: i64, %tiles: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %x = tile.program_id x
  %step = tile.num_programs x
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%s] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  scf.for %t = %x to %tiles step %step : i32 {
    %at = tile.addptr %table, %t : !tile.ptr<i32>, i32
    %k = tile.load %at : !tile.ptr<i32>
    %result = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      %ta = tile.descriptor_load %da[%t, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %tb = tile.descriptor_load %db[%i, %t] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
      %d = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %to = tile.addptr %c, %t : !tile.ptr<f32>, i32
    %p = tile.splat %to : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// A block that is loaded once per tile takes one slot. All groups compute the
// values that the next tile starts with.

// CHECK-LABEL: @once
// CHECK: %[[PAIRS:.*]] = warp.ring : !warp.ring<3 x
// CHECK: %[[ADDED:.*]] = warp.ring : !warp.ring<3 x
// CHECK: scf.for {{.*}} iter_args(%[[AT:.*]] = %c0{{.*}}, %[[MINE:.*]] = %{{.*}}) -> (i32, i1)
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[AT]], %c32
// CHECK-NEXT: scf.if %[[MINE]] {
// CHECK-NEXT: warp.pingpong_wait
// CHECK: warp.pingpong_pass
// CHECK-NEXT: warp.ring.wait %[[ADDED]]
// CHECK: } else {
// CHECK-DAG: warp.ring.skip %[[PAIRS]] for unsigned %c0{{.*}} to %{{.*}} step %c32
// CHECK-DAG: warp.ring.skip %[[ADDED]] for %c0{{.*}} to %c1{{.*}} step %c1
// CHECK: scf.yield %[[NEXT]], %{{.*}} : i32, i1
// DEFER-LABEL: @once
tile.func @once(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %e: !tile.ptr<f32>, %n: i64, %s: i64, %k: i32, %tiles: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%s] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %de = tile.make_descriptor %e, [%n, %n], [%s] : !tile.desc<64x64xf32>, !tile.ptr<f32>
  %end = scf.for %t = %c0 to %tiles step %c1 iter_args(%at = %c0) -> (i32) : i32 {
    %result = scf.for unsigned %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      %ta = tile.descriptor_load %da[%at, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %tb = tile.descriptor_load %db[%i, %at] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
      %d = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    }
    %te = tile.descriptor_load %de[%at, %at] : !tile.desc<64x64xf32> -> tensor<64x64xf32>
    %r = arith.addf %result, %te : tensor<64x64xf32>
    %to = tile.addptr %c, %at : !tile.ptr<f32>, i32
    %p = tile.splat %to : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %r : tensor<64x64x!tile.ptr<f32>>
    %next = arith.addi %at, %c32 : i32
    scf.yield %next : i32
  }
  tile.return
}

// -----

// Two accumulators: one pass, before the wait for both.

// CHECK-LABEL: @two_accumulators
// DEFER-LABEL: @two_accumulators
// DEFER: warp.pingpong_wait
// DEFER: scf.for
// DEFER: scf.yield
// DEFER-NEXT: }
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.wgmma_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// DEFER: } else {
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.wgmma_wait %{{.*}}, %{{.*}} {pendings = 0 : i32}
// DEFER: } else {
// DEFER-NEXT: warp.pingpong_pass
// DEFER-NEXT: warp.unlikely
tile.func @two_accumulators(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %s: i64, %k: i32, %tiles: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%s] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    %result:2 = scf.for %i = %c0 to %k step %c32 iter_args(%x = %zero, %y = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
      %ta = tile.descriptor_load %da[%t, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
      %tb = tile.descriptor_load %db[%i, %t] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
      %u = tile.descriptor_load %db[%i, %c32] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
      %d = tile.dot %ta, %tb, %x : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      %e = tile.dot %ta, %u, %y : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
      scf.yield %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
    }
    %r = arith.addf %result#0, %result#1 : tensor<64x64xf32>
    %to = tile.addptr %c, %t : !tile.ptr<f32>, i32
    %p = tile.splat %to : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %r : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// A smaller staging buffer costs nothing while the other group runs its dots. So
// each store gives half of its buffer for a sixth slot, if that yields one.

// SIX-LABEL: @deep
// SIX: warp.ring : !warp.ring<6 x
// SIX: warp.alloc : !warp.shared<16384xi8

// CHECK-LABEL: @deep
// CHECK: warp.ring : !warp.ring<3 x
// CHECK: warp.alloc : !warp.shared<32768xi8
tile.func @deep(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %o: !tile.ptr<f16>, %n: i64, %tiles: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %first = tile.program_id x
  %step = tile.num_programs x
  %da = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<64x128xf16>, !tile.ptr<f16>
  %do = tile.make_descriptor %o, [%n, %n], [%n] : !tile.desc<128x128xf16>, !tile.ptr<f16>
  scf.for %i = %first to %tiles step %step : i32 {
    %s = scf.for %j = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
      %x = tile.descriptor_load %da[%i, %j] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
      %y = tile.descriptor_load %db[%j, %i] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
      %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
      scf.yield %d : tensor<128x128xf32>
    }
    %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
    tile.descriptor_store %do[%i, %i], %h : !tile.desc<128x128xf16>, tensor<128x128xf16>
  }
  tile.return
}
