// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// The rules for memory that roles share and for ops of several warps.

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Memory intact: a tile overlaps barriers that the other role may use.
tile.func @barrier_offset(%x: tensor<16x8xf16, #rows>, %map: !warp.tensor_map, %i: i32) {
  // expected-note @+1 {{the other op}}
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  warp.specialize warps [1, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
    // expected-error @+1 {{rule 'memory intact' is broken: its memory overlaps that of another op, and two roles use them concurrently}}
    %a = warp.alloc %x {warp.shared_offset = 512 : i32} : (tensor<16x8xf16, #rows>) -> !tile
    warp.barrier
    %y = warp.local_load %a : !tile -> tensor<16x8xf16, #rows>
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Memory intact: copies of the other role overwrite the tile.
tile.func @too_early(%x: tensor<16x8xf16, #rows>, %map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  warp.specialize warps [1, 1] {
    // expected-note @+1 {{by this}}
    %a = warp.alloc %x {warp.shared_offset = 256 : i32} : (tensor<16x8xf16, #rows>) -> !tile
    warp.barrier
    %y = warp.local_load %a : !tile -> tensor<16x8xf16, #rows>
    // expected-error @+1 {{rule 'memory intact' is broken: reads memory that has been overwritten}}
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Memory intact: the same if a loop leads back to the slots.
tile.func @in_a_loop(%x: tensor<16x8xf16, #rows>, %map: !warp.tensor_map, %i: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  warp.specialize warps [1, 1] {
    scf.for %n = %c0 to %i step %c1 : i32 {
      // expected-error @+1 {{rule 'memory intact' is broken: reads memory that has been overwritten}}
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      warp.barrier
      // expected-note @+1 {{by this}}
      %a = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x8xf16, #rows>) -> !tile
      warp.barrier
      %y = warp.local_load %a : !tile -> tensor<16x8xf16, #rows>
      warp.barrier
    }
  }, {
    scf.for %n = %c0 to %i step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Memory intact: only a role that reads the slots knows their last use.
tile.func @of_another_role(%x: tensor<16x8xf16, #rows>, %map: !warp.tensor_map, %i: i32) {
  // expected-note @+1 {{the other op}}
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  warp.specialize warps [1, 1, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    // expected-error @+1 {{rule 'memory intact' is broken: its memory overlaps that of another op, and two roles use them concurrently}}
    %a = warp.alloc %x {warp.shared_offset = 256 : i32} : (tensor<16x8xf16, #rows>) -> !tile
    warp.barrier
    %y = warp.local_load %a : !tile -> tensor<16x8xf16, #rows>
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// In order: two roles fill one ring.
tile.func @fillers(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    // expected-error @+1 {{rule 'in order' is broken: another role also fills the ring, and each starts with slot 0}}
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, async_groups>

// Copies arrived: a thread can wait for its own copies only.
tile.func @other_threads(%p: tensor<16x8x!tile.ptr<f16>, #rows>) {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %slot, %tile = warp.ring.acquire %ring[%c0] : !ring
    warp.async_copy %p, %tile vector 2 : tensor<16x8x!tile.ptr<f16>, #rows>, !tile
    warp.ring.commit %slot
  }, {
    // expected-error @+1 {{rule 'copies arrived' is broken: threads of another role have issued the copies, and only they can wait for them}}
    %full, %x = warp.ring.wait %ring[%c0] pending 0 : !ring
    warp.ring.release %full
  }
  tile.return
}

// -----

// Warps meet: threads run the iterations of such a loop independently.
tile.func @divergent() {
  %c0 = arith.constant 0 : index
  %c1 = arith.constant 1 : index
  scf.parallel (%i) = (%c0) to (%c1) step (%c1) {
    // expected-error @+1 {{rule 'warps meet' is broken: it is in control flow that need not be uniform}}
    warp.barrier
    scf.reduce
  }
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!b = !warp.shared<32x16xf16, #b>

// Warps meet: the four warps of the role belong to two warpgroups.
tile.func @warpgroups(%zero: tensor<64x16xf32, #c>) {
  %a = warp.alloc : !a
  %b = warp.alloc : !b
  warp.specialize warps [1, 4] {
  }, {
    // expected-error @+1 {{rule 'warps meet' is broken: wgmma runs on whole warpgroups, and the role has warps 1 to 4}}
    %s = warp.wgmma %a, %b, %zero : !a, !b, tensor<64x16xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  }
  tile.return
}

// -----

// Warps meet: sixteen barriers, including that of the CTA.
tile.func @barriers() {
  // expected-error @+1 {{rule 'warps meet' is broken: 16 roles need one barrier each in addition to that of the CTA, which has 16}}
  warp.specialize warps [1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1] {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }, {
  }
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]}>
#w = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [0, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048], [4096]]}>

// Warps meet: two warpgroups store separately, and then together.
tile.func @parts(%map: !warp.tensor_map, %i: i32, %x: tensor<128x16xf32, #c>, %y: tensor<64x16xf32, #w>) {
  %staging = warp.alloc : !warp.shared<8192xi8, #bytes>
  // expected-error @+2 {{rule 'warps meet' is broken: stores in 2 parts through memory that another store uses in 1}}
  // expected-note @+4 {{the other store}}
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<128x16xf32, #c>, !warp.tensor_map, !warp.shared<8192xi8, #bytes>
  // expected-error @+2 {{rule 'warps meet' is broken: stores in 1 parts through memory that another store uses in 2}}
  // expected-note @-2 {{the other store}}
  warp.tma_store %y, %map[%i, %i] through %staging : tensor<64x16xf32, #w>, !warp.tensor_map, !warp.shared<8192xi8, #bytes>
  warp.tma_store_wait %staging : !warp.shared<8192xi8, #bytes>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!bytes = !warp.shared<4096xi8, #bytes>

// Stores done: other memory has the same offset, and the copies still read.
tile.func @store_offset(%map: !warp.tensor_map, %i: i32, %x: tensor<64x16xf32, #c>) {
  %staging = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  %other = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  // expected-error @+1 {{rule 'stores done' is broken: writes memory that copies of a store may still read}}
  warp.tma_store %x, %map[%i, %i] through %other : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!bytes = !warp.shared<4096xi8, #bytes>

// Stores done: a store marked as the first does not wait for others.
tile.func @store_first(%map: !warp.tensor_map, %i: i32, %x: tensor<64x16xf32, #c>) {
  %staging = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  warp.tma_store %x, %map[%i, %i] through %staging {first} : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  // expected-error @+1 {{rule 'stores done' is broken: writes memory that copies of a store may still read}}
  warp.tma_store %x, %map[%i, %i] through %staging {first} : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!bytes = !warp.shared<4096xi8, #bytes>

// Stores done: only the thread that issued the copies has waited for them.
tile.func @store_barrier(%map: !warp.tensor_map, %i: i32, %x: tensor<64x16xf32, #c>) {
  %staging = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  %other = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  warp.tma_store_wait %staging : !bytes
  // expected-error @+1 {{rule 'stores done' is broken: writes memory without a barrier after the wait for copies from it}}
  warp.tma_store %x, %map[%i, %i] through %other : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!bytes = !warp.shared<4096xi8, #bytes>

// Stores done: the copies have read the buffer, but not arrived. Only an operation
// without a release may come before that.
tile.func @store_released(%map: !warp.tensor_map, %i: i32, %x: tensor<64x16xf32, #c>, %flag: !tile.ptr<i32>) {
  %staging = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  warp.tma_store_wait %staging : !bytes
  %0 = tile.atomic_rmw add acquire gpu %flag, %i : !tile.ptr<i32>
  // expected-error @+1 {{rule 'stores done' is broken: releases copies of a store that may not have arrived to other programs}}
  %1 = tile.atomic_rmw add release gpu %flag, %i : !tile.ptr<i32>
  tile.return
}

// -----

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!bytes = !warp.shared<4096xi8, #bytes>

// Stores done: the CTA may end before the copies have read its memory.
tile.func @store_end(%map: !warp.tensor_map, %i: i32, %x: tensor<64x16xf32, #c>) {
  %staging = warp.alloc : !bytes
  warp.tma_store %x, %map[%i, %i] through %staging : tensor<64x16xf32, #c>, !warp.tensor_map, !bytes
  // expected-error @+1 {{rule 'stores done' is broken: ends before a wait for the copies of its stores}}
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions, cluster 2>

// Cluster meets: the other CTA may not have initialized its ring yet.
tile.func @cluster_begin() attributes {warp.cluster_size = 2 : i32} {
  %ring = warp.ring : !ring
  // expected-error @+1 {{rule 'cluster meets' is broken: other CTAs may not have initialized the ring yet: no warp.cluster_barrier follows it}}
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot : !warp.slot<cluster 2>
  warp.cluster_barrier
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions, cluster 2>

// Cluster meets: the other CTA may still release a slot of this one.
tile.func @cluster_end() attributes {warp.cluster_size = 2 : i32} {
  %ring = warp.ring : !ring
  warp.cluster_barrier
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot : !warp.slot<cluster 2>
  // expected-error @+1 {{rule 'cluster meets' is broken: ends while other CTAs may still use its rings: no warp.cluster_barrier follows their last use}}
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions, cluster 2>

// Cluster meets: a barrier that only orders the initialization of rings does not end their use.
tile.func @cluster_end_rings_only() attributes {warp.cluster_size = 2 : i32} {
  %ring = warp.ring : !ring
  warp.cluster_barrier
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot : !warp.slot<cluster 2>
  warp.cluster_barrier rings_only
  // expected-error @+1 {{rule 'cluster meets' is broken: ends while other CTAs may still use its rings: no warp.cluster_barrier follows their last use}}
  tile.return
}
