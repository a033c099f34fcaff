// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
#tile = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #tile>}, transactions>
// CHECK-LABEL: tile.func @maps
tile.func @maps(%p: !tile.ptr<f32>, %n: i64, %ring: !ring, %s: !warp.shared<128xi8, #bytes>) {
  // CHECK: %[[M:.*]] = warp.acquire_map_memory : !warp.map_memory<2>
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  // CHECK: warp.ring.drain %{{.*}} : !warp.ring<2 x
  warp.ring.drain %ring : !ring
  // CHECK: warp.make_tensor_map %{{.*}}, [%{{.*}}, %{{.*}}], [%{{.*}}] in %[[M]] at 1 through %{{.*}} {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32, written} : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #shared{{.*}}>
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 1 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32, written}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<128xi8, #bytes>
  // CHECK: warp.release_map_memory %[[M]] : !warp.map_memory<2>
  warp.release_map_memory %m : !warp.map_memory<2>
  tile.return
}
