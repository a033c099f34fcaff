// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -warp-defer-wgmma-waits \
// RUN:   -canonicalize -cse | FileCheck %s --check-prefix=DEFER
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -warp-bind-tensor-maps \
// RUN:   -canonicalize -cse | FileCheck %s --check-prefix=BIND

// Both operands of a dot share a slot. The producer runs only the loop around the
// loads and the computation of their coordinates.

// CHECK-LABEL: @dot
// CHECK-SAME: warp.block_warps = 5
// CHECK: %[[DA:.*]] = tile.make_descriptor
// CHECK: %[[DB:.*]] = tile.make_descriptor
// CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x {!warp.shared<64x32xf16, #{{.*}}>, !warp.shared<32x64xf16, #{{.*}}>}, transactions>
// CHECK: warp.specialize warps [4, 1] {
// CHECK: scf.for
// CHECK-NEXT: %[[FULL:.*]], %[[TILES:.*]]:2 = warp.ring.wait %[[RING]]
// CHECK-NEXT: %[[S:.*]] = warp.wgmma %[[TILES]]#0, %[[TILES]]#1
// CHECK-NEXT: warp.wgmma_wait %[[S]] {pendings = 0 : i32}
// CHECK-NEXT: warp.ring.release %[[FULL]]
// CHECK-NEXT: scf.yield
// CHECK: tile.store
// CHECK: }, {
// CHECK-NOT: tile.store
// CHECK: scf.for %[[K:.*]] = %{{.*}} to %{{.*}} step %{{.*}} : i32 {
// CHECK-NEXT: %[[EMPTY:.*]], %[[TILES:.*]]:2 = warp.ring.acquire %[[RING]]
// CHECK-NEXT: warp.tma_load %[[DA]][%{{.*}}, %[[K]]], %[[TILES]]#0
// CHECK-NEXT: warp.tma_load %[[DB]][%[[K]], %{{.*}}], %[[TILES]]#1
// CHECK-NEXT: warp.ring.commit %[[EMPTY]]
// CHECK-NEXT: }
// CHECK-NOT: tile.store
// CHECK: tile.return

// The next iteration waits for the accumulator and releases the slot. All of it
// happens only if the loop runs.

// DEFER-LABEL: @dot
// DEFER: %[[RUNS:.*]] = arith.cmpi sgt, %{{.*}}, %{{.*}} : i32
// DEFER: %[[RESULT:.*]] = scf.if %[[RUNS]]
// DEFER-NEXT: %[[SLOT:.*]], %[[TILES:.*]]:2 = warp.ring.wait
// DEFER-NEXT: %[[FIRST:.*]] = warp.wgmma %[[TILES]]#0, %[[TILES]]#1, %{{.*}} :
// DEFER: scf.if
// DEFER-NEXT: %[[LOOP:.*]]:2 = scf.for {{.*}} iter_args(%[[ACC:.*]] = %[[FIRST]], %[[HELD:.*]] = %[[SLOT]])
// DEFER-NEXT: %[[FULL:.*]], %[[TILES:.*]]:2 = warp.ring.wait
// DEFER-NEXT: %[[S:.*]] = warp.wgmma %[[TILES]]#0, %[[TILES]]#1, %[[ACC]]
// DEFER-NEXT: %[[D:.*]] = warp.wgmma_wait %[[S]] {pendings = 1 : i32}
// DEFER-NEXT: warp.ring.release %[[HELD]]{{$}}
// DEFER-NEXT: scf.yield %[[D]], %[[FULL]]
// DEFER: %[[LAST:.*]] = warp.wgmma_wait %[[LOOP]]#0 {pendings = 0 : i32}
// DEFER-NEXT: warp.ring.release %[[LOOP]]#1{{$}}
// DEFER-NEXT: scf.yield %[[LAST]]
// DEFER-NEXT: } else {
// DEFER-NEXT: %[[LAST:.*]] = warp.wgmma_wait %[[FIRST]] {pendings = 0 : i32}
// DEFER-NEXT: warp.ring.release %[[SLOT]]{{$}}
// DEFER-NEXT: scf.yield %[[LAST]]

// BIND-LABEL: @dot
// BIND-SAME: %[[MA:[a-z0-9]+]]: !warp.tensor_map, %[[MB:[a-z0-9]+]]: !warp.tensor_map
// BIND-SAME: warp.tensor_maps = [
// BIND-SAME: {argument = 5 : i32, base = array<i64: 0, 0>, box = array<i64: 64, 32>, element = f16, padding = "zero", shape = {{.}}array<i64: 0, 3>, array<i64: 0, 3>], strides = {{.}}array<i64: 0, 4>], swizzle = 64 : i32}
// BIND-SAME: {argument = 6 : i32, base = array<i64: 0, 1>, box = array<i64: 32, 64>, element = f16, padding = "zero", shape = {{.}}array<i64: 0, 3>, array<i64: 0, 3>], strides = {{.}}array<i64: 0, 4>], swizzle = 128 : i32}
// BIND-NOT: tile.make_descriptor
// BIND: warp.tma_load %[[MA]][
// BIND: warp.tma_load %[[MB]][
tile.func @dot(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %s: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = arith.trunci %n : i64 to i32
  %x = tile.program_id x
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%s] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %result = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %ta = tile.descriptor_load %da[%x, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    %tb = tile.descriptor_load %db[%i, %x] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %ta, %tb, %acc : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A tile that is also used in registers is read from the slot. A load outside of
// loops has a ring of one slot, released after its last use. Both roles evaluate
// the condition of a branch.

// CHECK-LABEL: @chained
// CHECK: %[[Q:.*]] = warp.ring : !warp.ring<1 x
// CHECK: %[[K:.*]] = warp.ring : !warp.ring<2 x
// CHECK: warp.specialize
// CHECK: %[[QF:.*]], %[[QT:.*]] = warp.ring.wait %[[Q]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK: %[[KF:.*]], %[[KT:.*]] = warp.ring.wait %[[K]]
// CHECK: warp.local_load %[[KT]]
// CHECK: warp.wgmma %[[QT]],
// CHECK: warp.ring.release %[[KF]]
// CHECK: warp.ring.release %[[QF]]
// CHECK: }, {
// CHECK: warp.ring.acquire %[[Q]]
// CHECK: scf.for
// CHECK: scf.if
// CHECK-NEXT: warp.ring.acquire %[[K]]
tile.func @chained(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %even = arith.andi %i, %c64 : i32
    %is = arith.cmpi eq, %even, %c0 : i32
    %r = scf.if %is -> tensor<64x64xf32> {
      %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %s = tile.dot %q, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %f = arith.extf %t : tensor<64x64xf16> to tensor<64x64xf32>
      %e = arith.addf %s, %f : tensor<64x64xf32>
      scf.yield %e : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %r : tensor<64x64xf32>
  } {tile.num_stages = 2 : i32}
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
