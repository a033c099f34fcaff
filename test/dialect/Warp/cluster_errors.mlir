// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// Sizes.

// expected-error@+1 {{'warp.cluster_size' must be a power of two from 2 to 16, got 3}}
tile.func private @function_size() attributes {warp.cluster_size = 3 : i32}

// -----

// expected-error@+1 {{'warp.cluster_size' must be a power of two from 2 to 16, got 1}}
tile.func private @function_of_one() attributes {warp.cluster_size = 1 : i32}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{a cluster size is a power of two up to 16, got 32}}
tile.func private @ring_size(!warp.ring<2 x {!warp.shared<32xf32, #shared>}, transactions, cluster 32>)

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{a cluster has at least two CTAs}}
tile.func private @ring_of_one(!warp.ring<2 x {!warp.shared<32xf32, #shared>}, transactions, cluster 1>)

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{a ring of async_groups belongs to one CTA, not to a cluster of 2}}
tile.func private @ring_kind(!warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups, cluster 2>)

// -----

// expected-error@+1 {{a cluster size is a power of two up to 16, got 6}}
tile.func private @slot_size(!warp.slot<cluster 6>)

// -----

// The barrier.

tile.func @barrier_c1() {
  // expected-note@+1 {{the roles are defined here}}
  warp.specialize warps [4, 1] {
  }, {
    // expected-error@+1 {{waits for all threads of the cluster, but role 0 of the CTA has no such barrier}}
    warp.cluster_barrier
  }
  tile.return
}

// -----

// Multicast copies.

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<8x8xf32, #shared>}, transactions>
tile.func @load_c4_one_block(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{copies for all CTAs of a cluster, but into a ring that belongs to one CTA}}
  warp.tma_load %map[%i, %i], %tile multicast : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
  warp.ring.commit %slot
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, transactions, cluster 2>
tile.func @load_c4_parts(%map: !warp.tensor_map, %i: i32) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{cannot be divided among 2 CTAs in the layout of}}
  warp.tma_load %map[%i, %i], %tile multicast : !warp.tensor_map, !warp.shared<4x8xf32, #shared>
  warp.ring.commit %slot : !warp.slot<cluster 2>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<8x8xf32, #shared>}, transactions, cluster 2>
tile.func @load_c4_condition(%map: !warp.tensor_map, %i: i32, %c: i1) {
  %ring = warp.ring : !ring
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{takes a condition for 'multicast' only}}
  warp.tma_load %map[%i, %i], %tile if %c : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
  warp.ring.commit %slot : !warp.slot<cluster 2>
  tile.return
}
