// RUN: tilewright-opt %s -warp-stage-stores | FileCheck %s
// RUN: tilewright-opt %s -warp-stage-stores -warp-allocate-shared -warp-insert-barriers -warp-check-barriers \
// RUN:   | FileCheck %s --check-prefix=BARRIERS

// Stores with the same number of parts share the largest buffer. It lives from
// before their loop until after it, and they need no barrier of all warps.

#wide = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]],
                      lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#narrow = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]],
                        lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>
#large = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>
#small = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>

// CHECK-LABEL: tile.func @loop
// CHECK: %[[S:.*]] = warp.alloc : !warp.shared<8192xi8
// CHECK: scf.for
// CHECK-NEXT: warp.tma_store %{{.*}}, %{{.*}} through %[[S]]
// CHECK-NEXT: warp.tma_store %{{.*}}, %{{.*}} through %[[S]]
// CHECK-NOT: warp.tma_store_wait
// CHECK: }
// CHECK-NEXT: warp.tma_store_wait %[[S]]
// CHECK: tile.return
// BARRIERS-LABEL: tile.func @loop
// BARRIERS-NOT: warp.barrier
// BARRIERS: tile.return
tile.func @loop(%map: !warp.tensor_map, %i: i32, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<32x64xf32, #wide>
  %y = arith.constant dense<1.0> : tensor<32x32xf32, #narrow>
  scf.for %k = %i to %n step %i : i32 {
    %small = warp.alloc : !warp.shared<4096xi8, #small>
    warp.tma_store %y, %map[%k, %i] through %small
        : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
    warp.tma_store_wait %small : !warp.shared<4096xi8, #small>
    %large = warp.alloc : !warp.shared<8192xi8, #large>
    warp.tma_store %x, %map[%i, %k] through %large
        : tensor<32x64xf32, #wide>, !warp.tensor_map, !warp.shared<8192xi8, #large>
    warp.tma_store_wait %large : !warp.shared<8192xi8, #large>
  }
  tile.return
}

// The first store of a program does not wait for another one, unless it is in a loop.

// CHECK-LABEL: tile.func @first
// CHECK: warp.tma_store {{.*}} {first}
// CHECK: warp.tma_store
// CHECK-NOT: first
tile.func @first(%map: !warp.tensor_map, %i: i32, %n: i32, %c: i1) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %y = arith.constant dense<1.0> : tensor<32x32xf32, #narrow>
  scf.if %c {
    %small = warp.alloc : !warp.shared<4096xi8, #small>
    warp.tma_store %y, %map[%n, %i] through %small
        : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
    warp.tma_store_wait %small : !warp.shared<4096xi8, #small>
  }
  %more = warp.alloc : !warp.shared<4096xi8, #small>
  warp.tma_store %y, %map[%i, %i] through %more
      : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
  warp.tma_store_wait %more : !warp.shared<4096xi8, #small>
  tile.return
}

// CHECK-LABEL: tile.func @first_in_a_loop
// CHECK-NOT: first
// CHECK: tile.return
tile.func @first_in_a_loop(%map: !warp.tensor_map, %i: i32, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %y = arith.constant dense<1.0> : tensor<32x32xf32, #narrow>
  scf.for %k = %i to %n step %i : i32 {
    %small = warp.alloc : !warp.shared<4096xi8, #small>
    warp.tma_store %y, %map[%k, %i] through %small
        : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
    warp.tma_store_wait %small : !warp.shared<4096xi8, #small>
  }
  tile.return
}

// Copies arrive before a release, also those of earlier iterations. Tiles of
// atomic operations release only writes of their own threads, not copies. Nothing
// is pending before the first store.

// CHECK-LABEL: tile.func @released
// CHECK: tile.atomic_rmw add acq_rel
// CHECK: %[[S:.*]] = warp.alloc
// CHECK: scf.for
// CHECK-NEXT: warp.tma_store_wait %[[S]] arrived
// CHECK-NEXT: tile.atomic_cas acq_rel
// CHECK-NEXT: warp.tma_store
// CHECK-NEXT: tile.atomic_rmw add acquire
// CHECK-NEXT: tile.atomic_rmw add acq_rel {{.*}} : tensor
// CHECK: }
// CHECK-NEXT: warp.tma_store_wait %[[S]] :
// CHECK-NEXT: warp.tma_store_wait %[[S]] arrived
// CHECK-NEXT: tile.atomic_rmw add release
tile.func @released(%map: !warp.tensor_map, %i: i32, %n: i32, %flag: !tile.ptr<i32>, %flags: tensor<32x!tile.ptr<i32>, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>, %ones: tensor<32xi32, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>) attributes {warp.num_warps = 1 : i32} {
  %y = arith.constant dense<1.0> : tensor<32x32xf32, #narrow>
  %0 = tile.atomic_rmw add acq_rel gpu %flag, %i : !tile.ptr<i32>
  scf.for %k = %i to %n step %i : i32 {
    %1 = tile.atomic_cas acq_rel gpu %flag, %i, %n : !tile.ptr<i32>
    %small = warp.alloc : !warp.shared<4096xi8, #small>
    warp.tma_store %y, %map[%k, %i] through %small
        : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
    warp.tma_store_wait %small : !warp.shared<4096xi8, #small>
    %2 = tile.atomic_rmw add acquire gpu %flag, %i : !tile.ptr<i32>
    %3 = tile.atomic_rmw add acq_rel gpu %flags, %ones : tensor<32x!tile.ptr<i32>, #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>>
  }
  %4 = tile.atomic_rmw add release gpu %flag, %i : !tile.ptr<i32>
  tile.return
}

// A use of the memory after the wait needs a barrier, because one thread waited.

// BARRIERS-LABEL: tile.func @reuse
// BARRIERS: warp.tma_store_wait
// BARRIERS-NEXT: warp.barrier
// BARRIERS-NEXT: warp.alloc
tile.func @reuse(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %y = arith.constant dense<1.0> : tensor<32x32xf32, #narrow>
  %s = warp.alloc : !warp.shared<4096xi8, #small>
  warp.tma_store %y, %map[%i, %i] through %s
      : tensor<32x32xf32, #narrow>, !warp.tensor_map, !warp.shared<4096xi8, #small>
  warp.tma_store_wait %s : !warp.shared<4096xi8, #small>
  %t = warp.alloc %y : (tensor<32x32xf32, #narrow>) -> !warp.shared<32x32xf32, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0]]}>>
  tile.return
}

// Roles run concurrently, so each has its own buffer.
// CHECK-LABEL: tile.func @roles
// CHECK: warp.specialize
// CHECK-NEXT: %[[A:.*]] = warp.alloc
// CHECK-NEXT: scf.for
// CHECK-NEXT: warp.tma_store %{{.*}}, %{{.*}} through %[[A]]
// CHECK-NEXT: }
// CHECK-NEXT: warp.tma_store_wait %[[A]]
// CHECK-NEXT: }, {
// CHECK-NEXT: %[[B:.*]] = warp.alloc
// CHECK-NEXT: warp.tma_store %{{.*}}, %{{.*}} through %[[B]]
// CHECK-NEXT: warp.tma_store_wait %[[B]]
tile.func @roles(%map: !warp.tensor_map, %i: i32, %n: i32) attributes {tile.kernel, warp.num_warps = 1 : i32, warp.explicit} {
  %x = arith.constant dense<1.0> : tensor<32x64xf32, #wide>
  warp.specialize warps [1, 1] {
    scf.for %k = %i to %n step %i : i32 {
      %a = warp.alloc : !warp.shared<8192xi8, #large>
      warp.tma_store %x, %map[%k, %i] through %a
          : tensor<32x64xf32, #wide>, !warp.tensor_map, !warp.shared<8192xi8, #large>
      warp.tma_store_wait %a : !warp.shared<8192xi8, #large>
    }
  }, {
    %b = warp.alloc : !warp.shared<8192xi8, #large>
    warp.tma_store %x, %map[%n, %i] through %b
        : tensor<32x64xf32, #wide>, !warp.tensor_map, !warp.shared<8192xi8, #large>
    warp.tma_store_wait %b : !warp.shared<8192xi8, #large>
  }
  tile.return
}
