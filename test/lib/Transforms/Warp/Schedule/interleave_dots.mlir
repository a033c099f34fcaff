// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -warp-interleave-dots | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=2' -warp-interleave-dots | FileCheck %s --check-prefix=TWO

// The dot of the other operands starts after the first one, so that it overlaps the exponentials. The dots that only
// add stay in flight into the next iteration, with their slots. With two slots there would be none to fill meanwhile:
// then they end in the iteration.

// CHECK-LABEL: @gradients
// CHECK: warp.ring.wait %[[K:.*]] :
// CHECK: warp.ring.wait %[[V:.*]] :
// CHECK: %[[RUNS:.*]] = arith.cmpi slt, %[[LB:.*]], %[[UB:.*]] : i32
// CHECK: %[[SUMS:.*]]:2 = scf.if %[[RUNS]]
// CHECK: %[[LOOP:.*]]:4 = scf.for %[[I:.*]] = %[[LB]] to %[[UB]] step %{{.*}} iter_args(%[[DK:.*]] = %{{.*}}, %[[DV:.*]] = %{{.*}}, %[[HELD0:.*]] = %{{.*}}, %[[HELD1:.*]] = %{{.*}})
// CHECK-NEXT: %[[DELTA:.*]] = tile.load
// CHECK-NEXT: %[[QS:.*]], %[[Q:.*]] = warp.ring.wait
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: %[[OS:.*]], %[[O:.*]] = warp.ring.wait
// CHECK: %[[T:.*]] = warp.wgmma
// CHECK-NEXT: %[[D:.*]]:3 = warp.wgmma_wait %[[S]], %[[DK]], %[[DV]] {pendings = 1 : i32}
// CHECK-NEXT: %[[LATER:.*]] = arith.cmpi ne, %[[I]], %[[LB]]
// CHECK-NEXT: warp.ring.release %[[HELD1]] if %[[LATER]]
// CHECK-NEXT: warp.ring.release %[[HELD0]] if %[[LATER]]
// CHECK-NEXT: %[[P:.*]] = math.exp2 %[[D]]#0
// CHECK-NEXT: %[[P16:.*]] = arith.truncf %[[P]]
// CHECK-NEXT: %[[DV1:.*]] = warp.wgmma %[[P16]], %[[O]], %[[D]]#2
// CHECK-NEXT: %[[DP:.*]] = warp.wgmma_wait %[[T]] {pendings = 1 : i32}
// CHECK-NEXT: arith.subf %[[DP]], %[[DELTA]]
// CHECK: %[[DS:.*]] = arith.truncf
// CHECK-NEXT: %[[DK1:.*]] = warp.wgmma %[[DS]], %[[Q]], %[[D]]#1
// CHECK-NEXT: scf.yield %[[DK1]], %[[DV1]], %[[OS]], %[[QS]]
// CHECK: %[[DONE:.*]]:2 = warp.wgmma_wait %[[LOOP]]#0, %[[LOOP]]#1 {pendings = 0 : i32}
// CHECK-NEXT: warp.ring.release %[[LOOP]]#2
// CHECK-NEXT: warp.ring.release %[[LOOP]]#3
// CHECK-NEXT: scf.yield %[[DONE]]#0, %[[DONE]]#1
// CHECK: } else {
// CHECK-NEXT: scf.yield

// TWO-LABEL: @gradients
// TWO-NOT: scf.if
// TWO: scf.for
// TWO: %[[QS:.*]], %[[Q:.*]] = warp.ring.wait
// TWO: %[[S:.*]] = warp.wgmma
// TWO-NEXT: %[[OS:.*]], %[[O:.*]] = warp.ring.wait
// TWO: %[[T:.*]] = warp.wgmma
// TWO-NEXT: warp.wgmma_wait %[[S]] {pendings = 1 : i32}
// TWO: %[[DV:.*]] = warp.wgmma
// TWO-NEXT: warp.wgmma_wait %[[T]] {pendings = 1 : i32}
// TWO: %[[DV1:.*]] = warp.wgmma_wait %[[DV]] {pendings = 0 : i32}
// TWO-NEXT: warp.ring.release %[[OS]]
// TWO-NEXT: %[[DK:.*]] = warp.wgmma
// TWO-NEXT: %[[DK1:.*]] = warp.wgmma_wait %[[DK]] {pendings = 0 : i32}
// TWO-NEXT: warp.ring.release %[[QS]]
// TWO-NEXT: scf.yield %[[DK1]], %[[DV1]]
tile.func @gradients(%a: !tile.ptr<f16>, %md: !tile.ptr<f32>, %cd: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %m = tile.splat %md : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %keys = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %values = tile.descriptor_load %d[%c0, %c32] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %sums:2 = scf.for %i = %c0 to %k step %c32 iter_args(%dk = %zero, %dv = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %q = tile.descriptor_load %e[%i, %c0] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %qt = tile.transpose %q {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tile.dot %keys, %qt, %none : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %p = math.exp2 %s : tensor<64x32xf32>
    %p16 = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tile.descriptor_load %e[%i, %c32] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %dv1 = tile.dot %p16, %o, %dv : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %delta = tile.load %m : tensor<64x32x!tile.ptr<f32>>
    %ot = tile.transpose %o {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %dp = tile.dot %values, %ot, %none : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %less = arith.subf %dp, %delta : tensor<64x32xf32>
    %ds = arith.mulf %p, %less : tensor<64x32xf32>
    %ds16 = arith.truncf %ds : tensor<64x32xf32> to tensor<64x32xf16>
    %dk1 = tile.dot %ds16, %q, %dk : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %dk1, %dv1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %c, %sums#0 : tensor<64x64x!tile.ptr<f32>>
  tile.store %c, %sums#1 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Accumulators that leave no registers.

// CHECK-LABEL: @many_registers
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: warp.wgmma_wait %[[S]] {pendings = 0 : i32}
tile.func @many_registers(%a: !tile.ptr<f16>, %md: !tile.ptr<f32>, %cd: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %m = tile.splat %md : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x256x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x256xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x256xf16>, !tile.ptr<f16>
  %keys = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x256xf16> -> tensor<64x256xf16>
  %values = tile.descriptor_load %d[%c0, %c32] : !tile.desc<64x256xf16> -> tensor<64x256xf16>
  %sums:2 = scf.for %i = %c0 to %k step %c32 iter_args(%dk = %zero, %dv = %zero) -> (tensor<64x256xf32>, tensor<64x256xf32>) : i32 {
    %q = tile.descriptor_load %e[%i, %c0] : !tile.desc<32x256xf16> -> tensor<32x256xf16>
    %qt = tile.transpose %q {order = array<i32: 1, 0>} : tensor<32x256xf16> -> tensor<256x32xf16>
    %s = tile.dot %keys, %qt, %none : tensor<64x256xf16>, tensor<256x32xf16>, tensor<64x32xf32>
    %p = math.exp2 %s : tensor<64x32xf32>
    %p16 = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tile.descriptor_load %e[%i, %c32] : !tile.desc<32x256xf16> -> tensor<32x256xf16>
    %dv1 = tile.dot %p16, %o, %dv : tensor<64x32xf16>, tensor<32x256xf16>, tensor<64x256xf32>
    %delta = tile.load %m : tensor<64x32x!tile.ptr<f32>>
    %ot = tile.transpose %o {order = array<i32: 1, 0>} : tensor<32x256xf16> -> tensor<256x32xf16>
    %dp = tile.dot %values, %ot, %none : tensor<64x256xf16>, tensor<256x32xf16>, tensor<64x32xf32>
    %less = arith.subf %dp, %delta : tensor<64x32xf32>
    %ds = arith.mulf %p, %less : tensor<64x32xf32>
    %ds16 = arith.truncf %ds : tensor<64x32xf32> to tensor<64x32xf16>
    %dk1 = tile.dot %ds16, %q, %dk : tensor<64x32xf16>, tensor<32x256xf16>, tensor<64x256xf32>
    scf.yield %dk1, %dv1 : tensor<64x256xf32>, tensor<64x256xf32>
  }
  tile.store %c, %sums#0 : tensor<64x256x!tile.ptr<f32>>
  tile.store %c, %sums#1 : tensor<64x256x!tile.ptr<f32>>
  tile.return
}

// -----

// A loop that writes memory, which the dots may read.

// CHECK-LABEL: @writes
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.wgmma
// CHECK-NEXT: warp.wgmma_wait %[[S]] {pendings = 0 : i32}
tile.func @writes(%a: !tile.ptr<f16>, %md: !tile.ptr<f32>, %cd: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %m = tile.splat %md : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %none = arith.constant dense<0.0> : tensor<64x32xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %keys = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %values = tile.descriptor_load %d[%c0, %c32] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %sums:2 = scf.for %i = %c0 to %k step %c32 iter_args(%dk = %zero, %dv = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %q = tile.descriptor_load %e[%i, %c0] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %qt = tile.transpose %q {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %s = tile.dot %keys, %qt, %none : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %p = math.exp2 %s : tensor<64x32xf32>
    %p16 = arith.truncf %p : tensor<64x32xf32> to tensor<64x32xf16>
    %o = tile.descriptor_load %e[%i, %c32] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %dv1 = tile.dot %p16, %o, %dv : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %delta = tile.load %m : tensor<64x32x!tile.ptr<f32>>
    %ot = tile.transpose %o {order = array<i32: 1, 0>} : tensor<32x64xf16> -> tensor<64x32xf16>
    %dp = tile.dot %values, %ot, %none : tensor<64x64xf16>, tensor<64x32xf16>, tensor<64x32xf32>
    %less = arith.subf %dp, %delta : tensor<64x32xf32>
    %ds = arith.mulf %p, %less : tensor<64x32xf32>
    %ds16 = arith.truncf %ds : tensor<64x32xf32> to tensor<64x32xf16>
    %dk1 = tile.dot %ds16, %q, %dk : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    tile.store %c, %dk1 : tensor<64x64x!tile.ptr<f32>>
    scf.yield %dk1, %dv1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %c, %sums#0 : tensor<64x64x!tile.ptr<f32>>
  tile.store %c, %sums#1 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
