// RUN: tilewright-opt %s -warp-allocate-shared | FileCheck %s

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#first = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
#second = #warp.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]]}>

// Pieces with disjoint lifetimes share an offset; others are aligned.
// CHECK-LABEL: @lifetimes
// CHECK-SAME: warp.shared_size = 256 : i32
tile.func @lifetimes(%x: tensor<16x4xf16, #rows>) {
  // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  // CHECK: warp.alloc {warp.shared_offset = 128 : i32}
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
  %c = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %c : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  tile.return
}

// Memory made before a loop and used in it lives until the loop ends.
// CHECK-LABEL: @loop(
// CHECK-SAME: warp.shared_size = 256 : i32
tile.func @loop(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
    // CHECK: warp.alloc {warp.shared_offset = 128 : i32}
    %b = warp.alloc : !warp.shared<16x4xf16, #plain>
    warp.local_store %y, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  }
  tile.return
}

// Small scratch lives until the next op with scratch, so that no barrier is needed
// between them.
// CHECK-LABEL: @scratch(
// CHECK-SAME: warp.shared_size = 512 : i32
tile.func @scratch(%x: tensor<64xf32, #first>) -> tensor<64xf32, #first> {
  // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 0 : i32}
  %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 256 : i32}
  %z = warp.convert_layout %y : tensor<64xf32, #second> -> tensor<64xf32, #first>
  // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 0 : i32}
  %w = warp.convert_layout %z : tensor<64xf32, #first> -> tensor<64xf32, #second>
  %v = warp.convert_layout %w : tensor<64xf32, #second> -> tensor<64xf32, #first>
  tile.return %v : tensor<64xf32, #first>
}

// Next to a tile, scratch lives only during its op.
// CHECK-LABEL: @scratch_with_tile(
// CHECK-SAME: warp.shared_size = 384 : i32
tile.func @scratch_with_tile(%x: tensor<64xf32, #first>, %t: tensor<16x4xf16, #rows>) -> tensor<64xf32, #first> {
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %t, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  %z = warp.convert_layout %y : tensor<64xf32, #second> -> tensor<64xf32, #first>
  %b = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return %z : tensor<64xf32, #first>
}

// CHECK-LABEL: @none
// CHECK-SAME: warp.shared_size = 0 : i32
tile.func @none() {
  tile.return
}

// Roles run concurrently, so memory of one role is never free for another.
// CHECK-LABEL: @roles
// CHECK-SAME: warp.shared_size = 256 : i32
tile.func @roles() {
  warp.specialize warps [1, 1] {
    // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
    %a = warp.alloc : !warp.shared<16x4xf16, #plain>
    %x = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }, {
    // CHECK: warp.alloc {warp.shared_offset = 128 : i32}
    %b = warp.alloc : !warp.shared<16x4xf16, #plain>
    %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }
  tile.return
}

// Memory that other CTAs of the cluster read lives throughout the function, because they may read it at any time.
// CHECK-LABEL: @cluster
// CHECK-SAME: warp.shared_size = 256 : i32
tile.func @cluster(%rank: i32) attributes {warp.cluster_size = 2 : i32} {
  // CHECK: warp.alloc {cluster = 2 : i32, warp.shared_offset = 0 : i32}
  %a = warp.alloc {cluster = 2 : i32} : !warp.shared<16x4xf16, #plain>
  %x = warp.remote_load %a of %rank : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  // CHECK: warp.alloc {warp.shared_offset = 128 : i32}
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// Each ping-pong group has its own copy of the memory of its role. The copies are
// contiguous and disjoint from the memory of other roles.
// CHECK-LABEL: @ping_pong_groups
// CHECK-SAME: warp.shared_size = 2176 : i32
tile.func @ping_pong_groups(%x: tensor<16x4xf16, #rows>) {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
    %a = warp.alloc : !warp.shared<16x4xf16, #plain>
    // CHECK: warp.alloc {warp.shared_offset = 128 : i32}
    %b = warp.alloc : !warp.shared<16x4xf16, #plain>
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
    warp.local_store %x, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  }, {
    // CHECK: warp.alloc {warp.shared_offset = 2048 : i32}
    %a = warp.alloc : !warp.shared<16x4xf16, #plain>
    warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  // CHECK: } {warp.pingpong_bytes = 1024 : i32}
  }
  tile.return
}

// The ring of a loop-carried slot lives until the release after the loop.
// CHECK-LABEL: @handed_on
// CHECK-SAME: warp.shared_size = 384 : i32
tile.func @handed_on(%x: tensor<16x4xf16, #rows>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: warp.ring {warp.shared_offset = 0 : i32}
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
  %none = warp.ring.no_slot
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%held = %none) -> (!warp.slot) : i32 {
    %slot, %tile = warp.ring.wait %ring[%c0] pending 0 : !warp.ring<2 x {!warp.shared<16x4xf16, #plain>}, async_groups>
    %more = arith.cmpi ne, %i, %c0 : i32
    warp.ring.release %held if %more
    scf.yield %slot : !warp.slot
  }
  // CHECK: warp.alloc {warp.shared_offset = 256 : i32}
  %a = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  warp.ring.release %last
  // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
  %b = warp.alloc : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %b : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  tile.return
}

#rows8 = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain8 = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain8>
!ring = !warp.ring<4 x {!tile}, transactions>

// Memory that the reader of a ring needs after the last slot reuses the slots, but
// not the barriers. Memory that it needs earlier is disjoint from them.
// CHECK-LABEL: @after_the_last_slot
// CHECK-SAME: warp.shared_size = 2048 : i32
tile.func @after_the_last_slot(%map: !warp.tensor_map, %k: i32, %x: tensor<64xf32, #first>, %t: tensor<16x8xf16, #rows8>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // CHECK: warp.ring {warp.shared_offset = 0 : i32}
  %ring = warp.ring : !ring
  warp.specialize warps [2, 1] {
    // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 1280 : i32}
    %before = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
    // CHECK: warp.alloc {warp.shared_offset = 0 : i32}
    %later = warp.alloc : !tile
    // CHECK: warp.alloc {warp.shared_offset = 1280 : i32}
    %over = warp.alloc : !tile
    warp.local_store %t, %over : tensor<16x8xf16, #rows8> -> !tile
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 1536 : i32}
      %inside = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
      warp.ring.release %slot
    }
    %y = warp.local_load %over : !tile -> tensor<16x8xf16, #rows8>
    %runs = arith.cmpi sgt, %k, %c0 : i32
    scf.if %runs {
      // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 256 : i32}
      %z = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
      warp.local_store %t, %later : tensor<16x8xf16, #rows8> -> !tile
    }
  }, {
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
    // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 1792 : i32}
    %z = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
  }
  tile.return
}

// A loop around the ring leads back to its slots.
// CHECK-LABEL: @in_a_loop
tile.func @in_a_loop(%map: !warp.tensor_map, %k: i32, %x: tensor<64xf32, #first>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [2, 1] {
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      // CHECK: warp.convert_layout {{.*}} {warp.shared_offset = 1280 : i32}
      %y = warp.convert_layout %x : tensor<64xf32, #first> -> tensor<64xf32, #second>
    }
  }, {
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#left = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#right = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
#made = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0], [0, 0]]}>
!left = !warp.shared<64x16xf16, #left>
!right = !warp.shared<16x16xf16, #right>
!made = tensor<16x16xf16, #made>
!acc = tensor<64x16xf32, #acc>

// Operands that threads store in each iteration are disjoint, so no barrier is needed before the next store.
// CHECK-LABEL: @operands
// CHECK: warp.alloc %{{.*}} {warp.shared_offset = 0 : i32}
// CHECK: warp.alloc %{{.*}} {warp.shared_offset = 512 : i32}
tile.func @operands(%a: !left, %x: !made, %y: !made, %zero: !acc, %n: i32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %acc = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (!acc) : i32 {
    %b = warp.alloc %x : (!made) -> !right
    %p = warp.wgmma %a, %b, %acc : !left, !right, !acc
    %q = warp.wgmma_wait %p {pendings = 0 : i32} : !acc
    %c = warp.alloc %y : (!made) -> !right
    %r = warp.wgmma %a, %c, %q : !left, !right, !acc
    %s = warp.wgmma_wait %r {pendings = 0 : i32} : !acc
    scf.yield %s : !acc
  }
  tile.return
}

// With rings that threads copy to, the scratch of consecutive ops is disjoint, too. Their inner barriers suffice.
#copied = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#copies = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
// CHECK-LABEL: @with_copies
// CHECK: warp.ring {warp.shared_offset = {{[0-9]+}} : i32}
// CHECK: tile.reduce
// CHECK: warp.shared_offset = [[FIRST:[0-9]+]] : i32
// CHECK: tile.reduce
// CHECK-NOT: warp.shared_offset = [[FIRST]] : i32
// CHECK: warp.shared_offset = {{[0-9]+}} : i32
tile.func @with_copies(%p: tensor<128x!tile.ptr<f32>, #copied>) -> (f32, f32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<128xf32, #copies>}, async_groups>
  %slot, %tile = warp.ring.acquire %ring[%c0] : !warp.ring<2 x {!warp.shared<128xf32, #copies>}, async_groups>
  warp.async_copy %p, %tile vector 1 : tensor<128x!tile.ptr<f32>, #copied>, !warp.shared<128xf32, #copies>
  warp.ring.commit %slot
  %held, %there = warp.ring.wait %ring[%c0] pending 0 : !warp.ring<2 x {!warp.shared<128xf32, #copies>}, async_groups>
  %x = warp.local_load %there : !warp.shared<128xf32, #copies> -> tensor<128xf32, #copied>
  %most = "tile.reduce"(%x) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }) : (tensor<128xf32, #copied>) -> f32
  %sum = "tile.reduce"(%x) <{axis = 0 : i32, commutes}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.addf %a, %b : f32
    tile.yield %m : f32
  }) : (tensor<128xf32, #copied>) -> f32
  warp.ring.release %held
  tile.return %most, %sum : f32, f32
}
