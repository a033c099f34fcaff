// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' | FileCheck %s
// RUN: tilewright-opt %s \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse -warp-specialize='num-stages=3' -warp-bind-tensor-maps='check' \
// RUN:   | FileCheck %s --check-prefix=BIND

// Both roles run a while loop. The producer carries only the values that its
// coordinates depend on. It computes the address of an array that the host does
// not know.

// CHECK-LABEL: @tiles
// CHECK: warp.specialize
// CHECK: scf.while (%{{.*}} = %{{.*}}, %{{.*}} = %{{.*}}) : (i32, tensor<64x64xf32,
// CHECK: warp.ring.wait
// CHECK: }, {
// CHECK: tile.load
// CHECK: tile.int_to_ptr
// CHECK: %[[D:.*]] = tile.make_descriptor
// CHECK: scf.while (%[[I:.*]] = %{{.*}}) : (i32) -> i32 {
// CHECK: %[[GO:.*]] = arith.cmpi slt, %[[I]]
// CHECK: scf.condition(%[[GO]]) %[[I]] : i32
// CHECK: ^bb0(%[[J:.*]]: i32):
// CHECK: warp.ring.acquire
// CHECK: warp.tma_load %[[D]][%[[J]],
// CHECK: %[[NEXT:.*]] = arith.addi %[[J]]
// CHECK: scf.yield %[[NEXT]] : i32

// The maps are made at the descriptors, in memory of the role. In debug mode an
// assertion rejects arrays that no map can describe.

// BIND-LABEL: @tiles
// BIND-NOT: warp.tensor_maps
// BIND: %[[STAGING:.*]] = warp.alloc : !warp.shared<1024xi8
// BIND: warp.specialize
// BIND: }, {
// BIND-NEXT: %[[MEMORY:.*]] = warp.acquire_map_memory : !warp.map_memory<1>
// BIND: scf.for
// BIND: warp.ring.drain
// BIND: tile.assert %{{.*}}, "the base of a tensor descriptor, and its strides in bytes, must be multiples of 16"
// BIND: %[[MAP:.*]] = warp.make_tensor_map {{.*}} in %[[MEMORY]] at 0 through %[[STAGING]] {box = array<i64: 64, 64>, element = f16, padding = 0 : i32, swizzle = 128 : i32}
// BIND: scf.while
// BIND: warp.tma_load %[[MAP]]
// BIND: warp.ring.drain
// BIND-NEXT: warp.release_map_memory %[[MEMORY]]
tile.func @tiles(%table: !tile.ptr<i64>, %c: !tile.ptr<f32>, %groups: i32, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %all = scf.for %g = %c0 to %groups step %c1 iter_args(%before = %zero) -> tensor<64x64xf32> : i32 {
    %entry = tile.addptr %table, %g : !tile.ptr<i64>, i32
    %address = tile.load %entry : !tile.ptr<i64>
    %a = tile.int_to_ptr %address : i64 -> !tile.ptr<f16>
    %d = tile.make_descriptor %a, [%n, %n], [%n] {aligned} : !tile.desc<64x64xf16>, !tile.ptr<f16>
    %r:2 = scf.while (%i = %c0, %acc = %before) : (i32, tensor<64x64xf32>) -> (i32, tensor<64x64xf32>) {
      %go = arith.cmpi slt, %i, %k : i32
      scf.condition(%go) %i, %acc : i32, tensor<64x64xf32>
    } do {
    ^bb0(%i: i32, %acc: tensor<64x64xf32>):
      %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %s = tile.dot %t, %t, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %next = arith.addi %i, %c64 : i32
      scf.yield %next, %s : i32, tensor<64x64xf32>
    }
    scf.yield %r#1 : tensor<64x64xf32>
  }
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %p, %all : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
