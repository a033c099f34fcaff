// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=8 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s

// Accumulators that are added outside of wgmma take registers, too. Here a producer
// of one warp would leave too few.
// CHECK-LABEL: @scaled
// CHECK: warp.specialize
// CHECK-SAME: warps [8, 4]
tile.func @scaled(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %s: i64, %scale: f32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<128x128xf32>
  %scales = tile.splat %scale : f32 -> tensor<128x128xf32>
  %k = arith.trunci %n : i64 to i32
  %x = tile.program_id x
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x128xf16>, !tile.ptr<f16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<128x128xf32> : i32 {
    %ta = tile.descriptor_load %da[%x, %i] : !tile.desc<128x64xf16> -> tensor<128x64xf16>
    %tb = tile.descriptor_load %db[%i, %x] : !tile.desc<64x128xf16> -> tensor<64x128xf16>
    %d = tile.dot %ta, %tb, %zero : tensor<128x64xf16>, tensor<64x128xf16>, tensor<128x128xf32>
    %m = arith.mulf %d, %scales : tensor<128x128xf32>
    %next = arith.addf %acc, %m : tensor<128x128xf32>
    scf.yield %next : tensor<128x128xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<128x128x!tile.ptr<f32>>
  tile.store %p, %result : tensor<128x128x!tile.ptr<f32>>
  tile.return
}
