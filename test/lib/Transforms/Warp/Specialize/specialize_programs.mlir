// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-stage-stores -warp-specialize='num-stages=5' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file \
// RUN:   --tile-to-warp-pipeline='num-warps=4 num-stages=5 compute-capability=90 arch-specific=true check=true' | FileCheck %s --check-prefix=SIZE

// Registers allow three CTAs per SM, but five slots for keys and values leave
// memory for two. The staging buffer reuses the slots after the last loads.

// CHECK-LABEL: @three
// CHECK: warp.ring : !warp.ring<1 x
// CHECK: warp.ring : !warp.ring<4 x {!warp.shared<64x64xf16
// CHECK: warp.ring : !warp.ring<4 x {!warp.shared<64x64xf16
// CHECK-NOT: warp.ring :
// CHECK: warp.specialize warps [4, 1] {

// SIZE-LABEL: @three
// SIZE-SAME: warp.shared_size = 75{{[0-9][0-9][0-9]}} : i32
tile.func @three(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %k: i32, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.make_descriptor %out, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %none) -> (tensor<64x64xf32>) : i32 {
    %keys = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %across = tile.transpose %keys {order = array<i32: 1, 0>} : tensor<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %across, %none : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %e = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %e : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %h = arith.truncf %result : tensor<64x64xf32> to tensor<64x64xf16>
  tile.descriptor_store %o[%c0, %c0], %h : !tile.desc<64x64xf16>, tensor<64x64xf16>
  tile.return
}

// -----

// With accumulators of 128 registers, two CTAs share an SM if the producers release
// registers. Two slots are enough then.

// CHECK-LABEL: @two
// CHECK: warp.ring : !warp.ring<1 x
// CHECK: warp.ring : !warp.ring<{{[23]}} x
// CHECK: warp.ring : !warp.ring<{{[23]}} x
// CHECK-NOT: warp.ring :
// CHECK: warp.specialize warps [4, 4] registers [232, 24] {

// SIZE-LABEL: @two
// SIZE-SAME: warp.shared_size = 10{{[0-9][0-9][0-9][0-9]}} : i32
tile.func @two(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %k: i32, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x128xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x128xf16>, !tile.ptr<f16>
  %o = tile.make_descriptor %out, [%n, %n], [%n] : !tile.desc<64x128xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x128xf32>) : i32 {
    %keys = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %across = tile.transpose %keys {order = array<i32: 1, 0>} : tensor<64x128xf16> -> tensor<128x64xf16>
    %small = arith.constant dense<0.0> : tensor<64x64xf32>
    %s = tile.dot %q, %across, %small : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %x = math.exp2 %s : tensor<64x64xf32>
    %p = arith.truncf %x : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %next = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x128xf16>, tensor<64x128xf32>
    scf.yield %next : tensor<64x128xf32>
  }
  %h = arith.truncf %result : tensor<64x128xf32> to tensor<64x128xf16>
  tile.descriptor_store %o[%c0, %c0], %h : !tile.desc<64x128xf16>, tensor<64x128xf16>
  tile.return
}
