// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-make-persistent -warp-specialize='num-stages=3' | FileCheck %s

// Both roles wait for the preceding kernels, also in a branch. The consumers let
// the next kernel start.

// CHECK-LABEL: @dot
// CHECK: warp.specialize
// CHECK: tile.launch_wait
// CHECK: scf.if
// CHECK-NEXT: tile.launch_wait
// CHECK: scf.for
// CHECK: warp.ring.wait
// CHECK: tile.launch_dependents
// CHECK: }, {
// CHECK: tile.launch_wait
// CHECK: scf.if
// CHECK-NEXT: tile.launch_wait
// CHECK: scf.for
// CHECK: warp.tma_load
// CHECK-NOT: tile.launch_dependents
// CHECK: tile.return
tile.func @dot(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %s: i64, %more: i1) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %k = arith.trunci %n : i64 to i32
  %x = tile.program_id x
  tile.launch_wait
  scf.if %more {
    tile.launch_wait
  }
  %da = tile.make_descriptor %a, [%n, %n], [%s] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %ta = tile.descriptor_load %da[%x, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %ta, %ta, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %d : tensor<64x64xf32>
  }
  tile.launch_dependents
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
