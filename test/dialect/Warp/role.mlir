// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<1 x {!warp.shared<4x8xf32, #shared>}, transactions>

// CHECK-LABEL: @roles
tile.func @roles(%map: !warp.tensor_map, %i: i32, %c: i1) {
  // CHECK: %[[RING:.*]] = warp.ring : !warp.ring<1 x {!warp.shared<4x8xf32, #{{.*}}>}, transactions>
  %ring = warp.ring : !ring
  // CHECK: %[[NONE:.*]] = warp.ring.no_slot
  %none = warp.ring.no_slot
  // CHECK: warp.specialize warps [8, 4] registers [240, 24] {
  warp.specialize warps [8, 4] registers [240, 24] {
    // CHECK: %[[FULL:.*]], %{{.*}} = warp.ring.wait %[[RING]] : !warp.ring<1
    %full, %tile = warp.ring.wait %ring : !ring
    // CHECK: warp.ring.release %[[FULL]]{{$}}
    warp.ring.release %full
    // CHECK: warp.ring.release %[[NONE]] if %{{.*}}
    warp.ring.release %none if %c
  // CHECK: }, {
  }, {
    // CHECK: %[[EMPTY:.*]], %[[TILE:.*]] = warp.ring.acquire %[[RING]] : !warp.ring<1
    %empty, %tile = warp.ring.acquire %ring : !ring
    // CHECK: warp.tma_load %{{.*}}[%{{.*}}, %{{.*}}, %{{.*}}], %[[TILE]] : !warp.tensor_map, !warp.shared<4x8xf32
    warp.tma_load %map[%i, %i, %i], %tile : !warp.tensor_map, !warp.shared<4x8xf32, #shared>
    // CHECK: warp.ring.commit %[[EMPTY]]
    warp.ring.commit %empty
  }
  tile.return
}

// CHECK-LABEL: @turns
tile.func @turns() {
  warp.specialize warps [4, 4] {
    // CHECK: warp.named_barrier_wait 0 warps 8
    warp.named_barrier_wait 0 warps 8
  }, {
    // CHECK: warp.named_barrier_arrive 0 warps 8
    warp.named_barrier_arrive 0 warps 8
  }
  tile.return
}

// CHECK-LABEL: @rarely
tile.func @rarely(%c: i1, %x: i32, %n: i64, %p: !tile.ptr<f32>) {
  scf.if %c {
    // CHECK: warp.unlikely
    warp.unlikely
    // CHECK: warp.opaque %{{.*}} : i32
    %y = warp.opaque %x : i32
    // CHECK: warp.opaque %{{.*}} : !tile.ptr<f32>
    %q = warp.opaque %p : !tile.ptr<f32>
    // CHECK: warp.sched_anchor %{{.*}}, %{{.*}} : i32, i64
    warp.sched_anchor %y, %n : i32, i64
  }
  tile.return
}
