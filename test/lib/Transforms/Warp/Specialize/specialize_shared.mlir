// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=2 limit=60000' | FileCheck %s
// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=2 limit=24000' | FileCheck %s --check-prefix=SHORT

// The B operands of two dots of one iteration have a ring each. They share one if
// memory is too short, because they are needed one after the other.

// CHECK-LABEL: @dots
// CHECK-COUNT-3: warp.ring : !warp.ring<{{[12]}} x {!warp.shared<64x64xf16, #{{.*}}>}, transactions>
// CHECK-NOT: warp.ring :
// CHECK: warp.specialize

// SHORT-LABEL: @dots
// SHORT: %[[LEFT:.*]] = warp.ring : !warp.ring<1 x {!warp.shared<64x64xf16, #{{.*}}>}, transactions>
// SHORT: %[[RIGHT:.*]] = warp.ring : !warp.ring<{{[12]}} x {!warp.shared<64x64xf16, #{{.*}}>}, transactions>
// SHORT-NOT: warp.ring :
// SHORT: scf.for
// SHORT: %[[SLOT:.*]], %{{.*}} = warp.ring.wait %[[RIGHT]]
// SHORT: warp.ring.release %[[SLOT]]
// SHORT: warp.ring.wait %[[RIGHT]]
tile.func @dots(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %q = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
  %result = scf.for %i = %c0 to %k step %c64 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %x = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %s = tile.dot %q, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %y = tile.descriptor_load %d[%i, %c64] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
    %t = tile.dot %q, %y, %s : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %t : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
