// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=2' -warp-pipeline-chained-dots | FileCheck %s

// The second dot of an iteration overlaps the work on the first dot of the next one. Uses of its accumulator follow its
// wait. So does the conversion, whose result then shares registers with the one in use.

// CHECK-LABEL: @chained
// CHECK: %[[K:.*]] = warp.ring : !warp.ring<2 x
// CHECK: %[[V:.*]] = warp.ring : !warp.ring<2 x
// CHECK: warp.specialize
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB:.*]], %[[UB:.*]] : i32
// CHECK: %[[SUM:.*]] = scf.if %[[RUNS]]
// CHECK: %[[SLOT:.*]], %[[TILE:.*]] = warp.ring.wait %[[K]]
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: %[[D:.*]] = warp.wgmma_wait %[[S]] {pendings = 0 : i32}
// CHECK: warp.ring.release %[[SLOT]]
// CHECK: %[[E:.*]] = math.exp2 %[[D]]
// CHECK: %[[P:.*]] = arith.truncf %[[E]]
// CHECK: %[[FIRST:.*]] = arith.mulf
// CHECK-NOT: warp.wgmma
// CHECK: %[[SECOND:.*]] = arith.addi %[[LB]], %[[STEP:.*]] : i32
// CHECK: %[[LOOP:.*]]:2 = scf.for %{{.*}} = %[[SECOND]] to %[[UB]] step %[[STEP]] iter_args(%[[ACC:.*]] = %[[FIRST]], %[[LEFT:.*]] = %[[P]])
// CHECK: %[[SLOT:.*]], %[[TILE:.*]] = warp.ring.wait %[[K]]
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK: %[[VS:.*]], %[[VT:.*]] = warp.ring.wait %[[V]]
// CHECK: %[[T:.*]] = warp.wgmma %[[LEFT]], %[[VT]], %[[ACC]]
// CHECK: %[[D:.*]] = warp.wgmma_wait %[[S]] {pendings = 1 : i32}
// CHECK: warp.ring.release %[[SLOT]]
// CHECK: %[[E:.*]] = math.exp2 %[[D]]
// CHECK-NOT: arith.truncf
// CHECK: %[[DONE:.*]] = warp.wgmma_wait %[[T]] {pendings = 0 : i32}
// CHECK: warp.ring.release %[[VS]]
// CHECK-DAG: %[[P:.*]] = arith.truncf %[[E]]
// CHECK-DAG: %[[M:.*]] = arith.mulf %[[DONE]]
// CHECK: scf.yield %[[M]], %[[P]]
// CHECK: %[[VS:.*]], %[[VT:.*]] = warp.ring.wait %[[V]]
// CHECK: %[[T:.*]] = warp.wgmma %[[LOOP]]#1, %[[VT]], %[[LOOP]]#0
// CHECK: %[[DONE:.*]] = warp.wgmma_wait %[[T]] {pendings = 0 : i32}
// CHECK: warp.ring.release %[[VS]]
// CHECK: scf.yield %[[DONE]]
// CHECK: } else {
// CHECK-NEXT: scf.yield
tile.func @chained(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %from: i32, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %sum = scf.for %i = %from to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %m = arith.mulf %acc, %half : tensor<64x64xf32>
    %vt = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.dot %p, %vt, %m : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The next iteration's first dot needs the accumulator.

// CHECK-LABEL: @acc_used_next
// CHECK: warp.specialize
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK-NOT: pendings = 1
tile.func @acc_used_next(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %left = arith.truncf %acc : tensor<64x64xf32> to tensor<64x64xf16>
    %s = tile.dot %left, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %vt = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.dot %p, %vt, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Both dots read the same slot.

// CHECK-LABEL: @one_slot
// CHECK: warp.specialize
// CHECK: scf.for
// CHECK-NOT: pendings = 1
tile.func @one_slot(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %sum = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %p = arith.truncf %s : tensor<64x64xf32> to tensor<64x64xf16>
    %t = tile.dot %p, %kt, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A loop in two parts: the one with more ops, here the masked one, is the short one. Duplicating its first iteration
// does not pay off.

// CHECK-LABEL: @two_parts
// CHECK: warp.specialize
// CHECK: scf.if
// CHECK: warp.wgmma %
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 1 : i32}
// CHECK: } else {
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: arith.select
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: scf.yield
tile.func @two_parts(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %end: i32, %mask: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %half = arith.constant dense<0.5> : tensor<64x64xf32>
  %kept = tile.splat %mask : i1 -> tensor<64x64xi1>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %long = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %m = arith.mulf %acc, %half : tensor<64x64xf32>
    %vt = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.dot %p, %vt, %m : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %sum = scf.for %i = %k to %end step %c64 iter_args(%acc = %long) -> tensor<64x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %kt, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %w = arith.select %kept, %s, %zero : tensor<64x64xi1>, tensor<64x64xf32>
    %e = math.exp2 %w : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %m = arith.mulf %acc, %half : tensor<64x64xf32>
    %vt = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.dot %p, %vt, %m : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Scores of 128 x 128 in four warps take 128 registers of a thread, the output 64, probabilities 64: too many at once.

// CHECK-LABEL: @too_many_registers
// CHECK: warp.specialize
// CHECK: scf.for
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: warp.wgmma_wait %{{.*}} {pendings = 0 : i32}
// CHECK: scf.yield
// CHECK-NOT: warp.wgmma
// CHECK: tile.store
tile.func @too_many_registers(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c128 = arith.constant 128 : i32
  %none = arith.constant dense<0.0> : tensor<128x128xf32>
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %half = arith.constant dense<0.5> : tensor<128x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %sum = scf.for %i = %c0 to %k step %c128 iter_args(%acc = %zero) -> tensor<128x64xf32> : i32 {
    %kt = tile.descriptor_load %d[%i, %c0] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %keys = tile.transpose %kt {order = array<i32: 1, 0>} : tensor<128x64xf16> -> tensor<64x128xf16>
    %s = tile.dot %q, %keys, %none : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %e = math.exp2 %s : tensor<128x128xf32>
    %p = arith.truncf %e : tensor<128x128xf32> to tensor<128x128xf16>
    %m = arith.mulf %acc, %half : tensor<128x64xf32>
    %vt = tile.descriptor_load %d[%i, %c64] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %t = tile.dot %p, %vt, %m : tensor<128x128xf16>, tensor<128x64xf16>, tensor<128x64xf32>
    scf.yield %t : tensor<128x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  tile.store %p, %sum : tensor<128x64x!tile.ptr<f32>>
  tile.return
}
