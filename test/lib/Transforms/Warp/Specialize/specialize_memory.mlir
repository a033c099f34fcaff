// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=4' | FileCheck %s --check-prefix=DEEP
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3 limit=116000' | FileCheck %s --check-prefix=SMALL
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=5 limit=190000' | FileCheck %s --check-prefix=FIVE
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=6 limit=220000' | FileCheck %s --check-prefix=SIX

// Two CTAs with three slots of 32 KB fit on an SM if each stores through 16 KB
// instead of 32. Two with four slots do not fit. If shared memory is short, the
// ring gets the half of the staging buffer, up to a fifth slot.

// CHECK-LABEL: @store
// CHECK: warp.ring : !warp.ring<3 x
// CHECK: warp.alloc : !warp.shared<16384xi8

// DEEP-LABEL: @store
// DEEP: warp.ring : !warp.ring<4 x
// DEEP: warp.alloc : !warp.shared<32768xi8

// SMALL-LABEL: @store
// SMALL: warp.ring : !warp.ring<3 x
// SMALL: warp.alloc : !warp.shared<16384xi8

// FIVE-LABEL: @store
// FIVE: warp.ring : !warp.ring<5 x
// FIVE: warp.alloc : !warp.shared<16384xi8

// SIX-LABEL: @store
// SIX: warp.ring : !warp.ring<5 x
// SIX: warp.alloc : !warp.shared<32768xi8
tile.func @store(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %o: !tile.ptr<f16>, %n: i64, %i: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %da = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<64x128xf16>, !tile.ptr<f16>
  %do = tile.make_descriptor %o, [%n, %n], [%n] : !tile.desc<128x128xf16>, !tile.ptr<f16>
  %s = scf.for %k = %c0 to %c256 step %c64 iter_args(%acc = %zero) -> (tensor<128x128xf32>) : i32 {
    %x = tile.descriptor_load %da[%i, %k] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %y = tile.descriptor_load %db[%k, %i] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %x, %y, %acc : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    scf.yield %d : tensor<128x128xf32>
  }
  %h = arith.truncf %s : tensor<128x128xf32> to tensor<128x128xf16>
  tile.descriptor_store %do[%i, %i], %h : !tile.desc<128x128xf16>, tensor<128x128xf16>
  tile.return
}

// -----

// The operands of two dots that share an operand share a slot.

// CHECK-LABEL: @gated
// CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x {!warp.shared<64x32xf16, #{{.*}}>, !warp.shared<32x64xf16, #{{.*}}>, !warp.shared<32x64xf16, #{{.*}}>}, transactions>
// CHECK-NOT: warp.ring :
// CHECK: warp.specialize warps [4, 1] {
// CHECK: %[[FULL:.*]], %[[TILES:.*]]:3 = warp.ring.wait %[[RING]]
// CHECK: warp.wgmma %[[TILES]]#0, %[[TILES]]#1
// CHECK: warp.wgmma %[[TILES]]#0, %[[TILES]]#2
// CHECK: warp.ring.release %[[FULL]]
// CHECK: warp.ring.acquire %[[RING]]
// CHECK-COUNT-3: warp.tma_load
// CHECK: warp.ring.commit
tile.func @gated(%a: !tile.ptr<f16>, %b: !tile.ptr<f16>, %o: !tile.ptr<f32>, %n: i64, %i: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %c256 = arith.constant 256 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %da = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%n, %n], [%n] : !tile.desc<32x64xf16>, !tile.ptr<f16>
  %s:2 = scf.for %k = %c0 to %c256 step %c32 iter_args(%g = %zero, %u = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %da[%i, %k] : !tile.desc<64x32xf16> -> tensor<64x32xf16>
    %y = tile.descriptor_load %db[%k, %i] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %z = tile.descriptor_load %db[%k, %c32] : !tile.desc<32x64xf16> -> tensor<32x64xf16>
    %d = tile.dot %x, %y, %g : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    %e = tile.dot %x, %z, %u : tensor<64x32xf16>, tensor<32x64xf16>, tensor<64x64xf32>
    scf.yield %d, %e : tensor<64x64xf32>, tensor<64x64xf32>
  }
  %m = arith.mulf %s#0, %s#1 : tensor<64x64xf32>
  %p = tile.splat %o : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %m : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
