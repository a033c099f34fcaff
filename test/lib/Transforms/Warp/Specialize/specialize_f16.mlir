// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=6' | FileCheck %s --check-prefix=DEEP

// Two CTAs with accumulators of 192 registers share an SM under two conditions:
//   1. Their producers release registers.
//   2. Tiles that are needed one after the other share a ring.
// Six slots leave no memory for a second CTA, so the rings get fewer.

// CHECK-LABEL: @gradients
// CHECK-COUNT-2: warp.ring : !warp.ring<1 x
// CHECK-COUNT-2: warp.ring : !warp.ring<3 x
// CHECK-NOT: warp.ring :
// CHECK: warp.specialize warps [4, 4] registers [232, 24]

// DEEP-LABEL: @gradients
// DEEP-COUNT-2: warp.ring : !warp.ring<1 x
// DEEP-COUNT-2: warp.ring : !warp.ring<{{[345]}} x
// DEEP-NOT: warp.ring :
// DEEP: warp.specialize warps [4, 4] registers [232, 24]
tile.func @gradients(%a: !tile.ptr<f16>, %cd: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<128x64x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x64xf32>
  %none = arith.constant dense<0.0> : tensor<128x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %keys = tile.descriptor_load %d[%c0, %c0] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %values = tile.descriptor_load %d[%c0, %c64] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %result:2 = scf.for %i = %c0 to %k step %c64 iter_args(%dk = %zero, %dv = %zero) -> (tensor<128x64xf32>, tensor<128x64xf32>) : i32 {
    %q = tile.descriptor_load %e[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %qt = tile.transpose %q {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %keys, %qt, %none : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %p16 = arith.truncf %s : tensor<128x64xf32> to tensor<128x64xf16>
    %o = tile.descriptor_load %e[%i, %c32] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %dv1 = tile.dot %p16, %o, %dv : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %ot = tile.transpose %o {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %dk1 = tile.dot %values, %ot, %dk : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %dk1, %dv1 : tensor<128x64xf32>, tensor<128x64xf32>
  }
  tile.store %c, %result#0 : tensor<128x64x!tile.ptr<f32>>
  tile.store %c, %result#1 : tensor<128x64x!tile.ptr<f32>>
  %queries = tile.descriptor_load %d[%c64, %c0] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %more = tile.descriptor_load %d[%c64, %c64] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
  %dq = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<128x64xf32>) : i32 {
    %kk = tile.descriptor_load %e[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %queries, %kk, %acc : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    %t = tile.dot %more, %kk, %s : tensor<128x64xf16>, tensor<64x64xf16>, tensor<128x64xf32>
    scf.yield %t : tensor<128x64xf32>
  }
  tile.store %c, %dq : tensor<128x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A wgmma of 256 columns needs more registers than each of 256 threads starts with
// if two CTAs share an SM.

// CHECK-LABEL: @wide
// CHECK: warp.specialize warps [4, 1] {
tile.func @wide(%a: !tile.ptr<f16>, %cd: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c = tile.splat %cd : !tile.ptr<f32> -> tensor<64x256x!tile.ptr<f32>>
  %r = tile.splat %cd : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %zero = arith.constant dense<0.0> : tensor<64x256xf32>
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x256xf16>, !tile.ptr<f16>
  %f = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %result:2 = scf.for %i = %c0 to %k step %c32 iter_args(%s = %zero, %t = %none) -> (tensor<64x256xf32>, tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %d[%c0, %i] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    %y = tile.descriptor_load %e[%i, %c0] : !tile.desc<32x256xf16> -> tensor<32x256xf16>
    %z = tile.descriptor_load %f[%i, %c0] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %u = tile.dot %x, %y, %s : tensor<64x32xf16>, tensor<32x256xf16>, tensor<64x256xf32>
    %v = tile.dot %x, %z, %t : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %u, %v : tensor<64x256xf32>, tensor<64x64xf32>
  }
  tile.store %c, %result#0 : tensor<64x256x!tile.ptr<f32>>
  tile.store %r, %result#1 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
