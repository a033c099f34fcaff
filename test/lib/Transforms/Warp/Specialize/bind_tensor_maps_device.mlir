// RUN: tilewright-opt %s -warp-bind-tensor-maps | FileCheck %s
// RUN: tilewright-opt %s -warp-bind-tensor-maps='check=true' | FileCheck %s --check-prefix=ASSERT

#tile = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}>
!ring = !warp.ring<2 x {!warp.shared<8x8xf32, #tile>}, transactions>

// Each role makes its own maps at the descriptors. It waits for copies through a map before it remakes the map, and at
// the end: for loads by draining the ring, for stores in the map op itself. Maps that the host knows stay on the host.

// CHECK-LABEL: @roles
// CHECK-SAME: %[[HOST:[a-z0-9]+]]: !warp.tensor_map
// CHECK: %[[RING:.*]] = warp.ring
// CHECK: %[[STAGING:.*]] = warp.alloc : !warp.shared<256xi8,
// CHECK: warp.specialize
// CHECK-NEXT: %[[MEMORY:.*]] = warp.acquire_map_memory : !warp.map_memory<1>
// CHECK: scf.for
// CHECK-NOT: warp.ring.drain
// CHECK: %[[MAP:.*]] = warp.make_tensor_map %{{.*}} in %[[MEMORY]] at 0 through %[[STAGING]] {box = array<i64: 32, 8>, element = i32, padding = 0 : i32, swizzle = 32 : i32, written}
// CHECK: warp.tma_store %{{.*}}, %[[MAP]]
// CHECK: warp.release_map_memory %[[MEMORY]]
// CHECK-NEXT: }, {
// CHECK-NEXT: %[[MEMORY:.*]] = warp.acquire_map_memory : !warp.map_memory<2>
// CHECK-NOT: warp.ring.drain
// CHECK: %[[ONCE:.*]] = warp.make_tensor_map %{{.*}} in %[[MEMORY]] at 0 through %[[STAGING]] {box = array<i64: 8, 8>, element = f32, padding = 0 : i32, swizzle = 0 : i32}
// CHECK: scf.for
// CHECK: warp.ring.drain %[[RING]]
// CHECK: %[[AGAIN:.*]] = warp.make_tensor_map %{{.*}} in %[[MEMORY]] at 1
// CHECK: warp.tma_load %[[ONCE]]
// CHECK: warp.tma_load %[[AGAIN]]
// CHECK: warp.tma_load %[[HOST]]
// CHECK: warp.ring.drain %[[RING]]
// CHECK-NEXT: warp.release_map_memory %[[MEMORY]]

// In debug mode an assertion gives the reason of the trap.
// ASSERT-COUNT-3: tile.assert %{{.*}}, "the base of a tensor descriptor, and its strides in bytes, must be multiples of 16"
// ASSERT-NOT: tile.assert
tile.func @roles(%table: !tile.ptr<i64>, %known: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, warp.num_warps = 1 : i32, warp.block_warps = 2 : i32} {
  %ring = warp.ring : !ring
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %two = arith.constant 2 : i32
  warp.specialize warps [1, 1] {
    %x = arith.constant dense<1> : tensor<32x8xi32, #rows>
    %s = warp.alloc : !warp.shared<1024xi8, #bytes>
    scf.for %i = %zero to %two step %one : i32 {
      %address = tile.load %table : !tile.ptr<i64>
      %p = tile.int_to_ptr %address : i64 -> !tile.ptr<i32>
      %d = tile.make_descriptor %p, [%n, %n], [%n] {aligned} : !tile.desc<32x8xi32>, !tile.ptr<i32>
      warp.tma_store %x, %d[%i, %i] through %s
        : tensor<32x8xi32, #rows>, !tile.desc<32x8xi32>, !warp.shared<1024xi8, #bytes>
    }
    warp.tma_store_wait %s : !warp.shared<1024xi8, #bytes>
  }, {
    %first = tile.load %table : !tile.ptr<i64>
    %p = tile.int_to_ptr %first : i64 -> !tile.ptr<f32>
    %once = tile.make_descriptor %p, [%n, %n], [%n] {aligned} : !tile.desc<8x8xf32>, !tile.ptr<f32>
    %host = tile.make_descriptor %known, [%n, %n], [%n] : !tile.desc<8x8xf32>, !tile.ptr<f32>
    scf.for %i = %zero to %two step %one : i32 {
      %address = tile.load %table : !tile.ptr<i64>
      %q = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
      %again = tile.make_descriptor %q, [%n, %n], [%n] {aligned} : !tile.desc<8x8xf32>, !tile.ptr<f32>
      %a, %x = warp.ring.acquire %ring : !ring
      warp.tma_load %once[%i, %i], %x : !tile.desc<8x8xf32>, !warp.shared<8x8xf32, #tile>
      warp.ring.commit %a
      %b, %y = warp.ring.acquire %ring : !ring
      warp.tma_load %again[%i, %i], %y : !tile.desc<8x8xf32>, !warp.shared<8x8xf32, #tile>
      warp.ring.commit %b
      %c, %z = warp.ring.acquire %ring : !ring
      warp.tma_load %host[%i, %i], %z : !tile.desc<8x8xf32>, !warp.shared<8x8xf32, #tile>
      warp.ring.commit %c
    }
  }
  tile.return
}
