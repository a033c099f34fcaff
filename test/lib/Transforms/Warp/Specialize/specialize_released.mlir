// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s \
// RUN:   --tile-to-warp-pipeline='num-warps=4 compute-capability=90 arch-specific=true check=true' -o /dev/null

// Two dots share an operand, so their operands share a slot. The wait comes before
// the first dot, although the last tile is loaded after it. An operation that
// releases memory follows.

// CHECK-LABEL: @loaded_after_the_first_dot
// CHECK: warp.specialize
// CHECK: scf.for
// CHECK-NEXT: %[[FULL:.*]], %[[TILES:.*]]:3 = warp.ring.wait
// CHECK: warp.wgmma %[[TILES]]#0, %[[TILES]]#1
// CHECK: warp.wgmma %[[TILES]]#0, %[[TILES]]#2
// CHECK: warp.ring.release %[[FULL]]
// CHECK: tile.atomic_rmw
tile.func @loaded_after_the_first_dot(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %count: !tile.ptr<f32>, %out: !tile.ptr<f32>, %k: i32, %n: i64 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %o = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %result:2 = scf.for %i = %c0 to %k step %c64 iter_args(%p = %zero, %q = %zero) -> (tensor<64x64xf32>, tensor<64x64xf32>) : i32 {
    %x = tile.descriptor_load %d[%c0, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %y = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %p1 = tile.dot %x, %y, %p : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %z = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %q1 = tile.dot %x, %z, %q : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %one = arith.constant 1.0 : f32
    %old = tile.atomic_rmw fadd acq_rel gpu %count, %one : !tile.ptr<f32>
    scf.yield %p1, %q1 : tensor<64x64xf32>, tensor<64x64xf32>
  }
  tile.store %o, %result#0 : tensor<64x64x!tile.ptr<f32>>
  tile.store %o, %result#1 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
