// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<64x8xf32, #shared>}, transactions, cluster 4>
!slot = !warp.slot<cluster 4>

// CHECK-LABEL: @multicast
// CHECK-SAME: warp.cluster_size = 4 : i32
// CHECK-SAME: warp.padded_grid
tile.func @multicast(%map: !warp.tensor_map, %i: i32, %c: i1)
    attributes {warp.cluster_size = 4 : i32, warp.padded_grid} {
  // CHECK: %[[RING:.*]] = warp.ring : !warp.ring<2 x {!warp.shared<64x8xf32, #{{.*}}>}, transactions, cluster 4>
  %ring = warp.ring : !ring
  // CHECK: %[[RANK:.*]] = warp.cluster_rank{{$}}
  %rank = warp.cluster_rank
  // CHECK: warp.cluster_barrier rings_only{{$}}
  warp.cluster_barrier rings_only
  // CHECK: warp.cluster_barrier{{$}}
  warp.cluster_barrier
  // CHECK: %[[NONE:.*]] = warp.ring.no_slot : !warp.slot<cluster 4>
  %none = warp.ring.no_slot : !slot
  warp.specialize warps [4, 1] {
    %full, %tile = warp.ring.wait %ring : !ring
    // CHECK: warp.ring.release %{{.*}} : !warp.slot<cluster 4>
    warp.ring.release %full : !slot
    // CHECK: warp.ring.release %[[NONE]] if %{{.*}} : !warp.slot<cluster 4>
    warp.ring.release %none if %c : !slot
  }, {
    %empty, %tile = warp.ring.acquire %ring : !ring
    // CHECK: warp.tma_load %{{.*}}[%[[RANK]], %{{.*}}], %[[TILE:.*]] multicast : !warp.tensor_map
    warp.tma_load %map[%rank, %i], %tile multicast : !warp.tensor_map, !warp.shared<64x8xf32, #shared>
    // CHECK: warp.tma_load %{{.*}}[%[[RANK]], %{{.*}}], %[[TILE]] multicast if %{{.*}} : !warp.tensor_map
    warp.tma_load %map[%rank, %i], %tile multicast if %c : !warp.tensor_map, !warp.shared<64x8xf32, #shared>
    // CHECK: warp.ring.commit %{{.*}} : !warp.slot<cluster 4>
    warp.ring.commit %empty : !slot
  }
  tile.return
}
