// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s \
// RUN:   --tile-to-warp-pipeline='num-warps=4 compute-capability=90 arch-specific=true check=true' -o /dev/null

// A bias is read from its slot in the layout of the scores. It does not change its
// layout through scratch.

// CHECK: #[[SUM:[a-z0-9]+]] = #warp.linear<{register = {{\[}}[0, 1], [8, 0], [0, 8], [0, 16], [0, 32]], lane = {{\[}}[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]
// CHECK-LABEL: @biased
// CHECK: warp.specialize
// CHECK: scf.for
// CHECK: warp.wgmma
// CHECK: %[[SLOT:.*]], %[[TILE:.*]] = warp.ring.wait
// CHECK-NEXT: %[[BIAS:.*]] = warp.local_load %[[TILE]] : {{.*}} -> tensor<64x64xf16, #[[SUM]]>
// CHECK-NEXT: warp.ring.release %[[SLOT]]
// CHECK-NOT: warp.convert_layout
// CHECK: arith.extf %[[BIAS]]
// CHECK-NOT: warp.convert_layout
// CHECK: scf.yield
tile.func @biased(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %bias: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %out: !tile.ptr<f32>, %k: i32, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %e = tile.make_descriptor %bias, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %d[%c0, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %x, %y, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %b = tile.descriptor_load %e[%c0, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %wide = arith.extf %b : tensor<64x64xf16> to tensor<64x64xf32>
    %t = arith.addf %s, %wide : tensor<64x64xf32>
    %p = arith.truncf %t : tensor<64x64xf32> to tensor<64x64xf16>
    %v = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %next = tile.dot %p, %v, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %o, %result : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
