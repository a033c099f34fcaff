// RUN: tilewright-opt %s -tile-gpu-select-tma='num-warps=16 compute-capability=90 arch-specific=true' | FileCheck %s
// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -verify-diagnostics \
// RUN:   -tile-gpu-select-tma='num-warps=32 compute-capability=90 arch-specific=true' | FileCheck %s --check-prefix=FULL

// A program has at most 32 warps: if all of them compute, none is left to
// produce.

// CHECK-LABEL: @served
// CHECK-COUNT-2: tile.descriptor_load
// FULL-LABEL: @served
// FULL-NOT: tile.descriptor_
// FULL-COUNT-2: tile.load
// FULL-NOT: tile.descriptor_
tile.func @served(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32},
                  %i: i32 {tile.divisibility = 8 : i32}, %out: !tile.ptr<f32>) attributes {tile.kernel} {
  %n64 = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<256x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %a, [%n64, %n64], [%n64] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  // expected-remark@+1 {{a program of 32 warps has no room for a producer warp}}
  %x = tile.descriptor_load %d[%i, %i] : !tile.desc<256x64xf16> -> tensor<256x64xf16>
  // expected-remark@+1 {{a program of 32 warps has no room for a producer warp}}
  %y = tile.descriptor_load %e[%i, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %zero = arith.constant dense<0.0> : tensor<256x64xf32>
  %z = tile.dot %x, %y, %zero : tensor<256x64xf16>, tensor<64x64xf16>, tensor<256x64xf32>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<256x64x!tile.ptr<f32>>
  tile.store %o, %z : tensor<256x64x!tile.ptr<f32>>
  tile.return
}
