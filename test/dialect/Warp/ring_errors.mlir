// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// The type.

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{a ring has at least one slot, got 0}}
tile.func private @slots(!warp.ring<0 x {!warp.shared<32xf32, #shared>}, async_groups>)

// -----

// expected-error@+1 {{a slot holds at least one tile}}
tile.func private @tiles(!warp.ring<2 x {}, async_groups>)

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{unknown completion kind 'hope'}}
tile.func private @kind(!warp.ring<2 x {!warp.shared<32xf32, #shared>}, hope>)

// -----

// Slots.

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @acquire_c1(%ring: !ring, %i: i32) {
  // expected-error@+1 {{has a slot that is used 0 times, expected once}}
  %slot, %tile = warp.ring.acquire %ring[%i] : !ring
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @wait_c1(%ring: !ring, %i: i32) {
  // expected-error@+1 {{has a slot that is used 2 times, expected once}}
  %slot, %tile = warp.ring.wait %ring[%i] pending 0 : !ring
  // expected-note@+1 {{used here}}
  warp.ring.release %slot
  // expected-note@+1 {{used here}}
  warp.ring.release %slot
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @commit_c1(%ring: !ring, %i: i32) {
  %slot, %tile = warp.ring.wait %ring[%i] pending 0 : !ring
  // expected-error@+1 {{takes a slot to fill, got one to read}}
  warp.ring.commit %slot
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @release_c1(%ring: !ring, %i: i32) {
  %slot, %tile = warp.ring.acquire %ring[%i] : !ring
  // expected-error@+1 {{takes a slot to read, got one to fill}}
  warp.ring.release %slot
  tile.return
}

// -----

// Copies.

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @copy_c1(%p: tensor<32x!tile.ptr<f32>, #lanes>, %m: !warp.shared<32xf16, #shared>) {
  // expected-error@+1 {{copies through 'tensor<32x!tile.ptr<f32>,}}
  warp.async_copy %p, %m vector 1 : tensor<32x!tile.ptr<f32>, #lanes>, !warp.shared<32xf16, #shared>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @copy_c2(%p: tensor<32x!tile.ptr<f32>>, %m: !warp.shared<32xf32, #shared>) {
  // expected-error@+1 {{needs pointers with a #warp.linear layout, got 'tensor<32x!tile.ptr<f32>>'}}
  warp.async_copy %p, %m vector 1 : tensor<32x!tile.ptr<f32>>, !warp.shared<32xf32, #shared>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#other = #warp.linear<{lane = [[2], [1], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @copy_c2_mask(%p: tensor<32x!tile.ptr<f32>, #lanes>, %mask: tensor<32xi1, #other>,
                        %m: !warp.shared<32xf32, #shared>) {
  // expected-error@+1 {{needs a mask of type}}
  warp.async_copy %p, %m mask %mask vector 1
    : tensor<32x!tile.ptr<f32>, #lanes>, !warp.shared<32xf32, #shared>, tensor<32xi1, #other>
  tile.return
}

// -----

#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @copy_c3(%p: tensor<32x!tile.ptr<f32>, #lanes>) {
  %m = warp.alloc : !warp.shared<32xf32, #shared>
  // expected-error@+1 {{copies into a slot that was acquired, got memory of 'warp.alloc'}}
  warp.async_copy %p, %m vector 1 : tensor<32x!tile.ptr<f32>, #lanes>, !warp.shared<32xf32, #shared>
  tile.return
}

// -----

#lanes = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}>
tile.func @copy_c4(%p: tensor<256x!tile.ptr<f32>, #lanes>, %m: !warp.shared<256xf32, #shared>) {
  // expected-error@+1 {{copies 4, 8 or 16 bytes at once, got 32}}
  warp.async_copy %p, %m vector 8 : tensor<256x!tile.ptr<f32>, #lanes>, !warp.shared<256xf32, #shared>
  tile.return
}

// -----

#lanes = #warp.linear<{register = [[32]], lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32]]}>
tile.func @copy_c5(%p: tensor<64x!tile.ptr<f16>, #lanes>, %m: !warp.shared<64xf16, #shared>) {
  // expected-error@+1 {{copies 2 elements at once that are not adjacent in}}
  warp.async_copy %p, %m vector 2 : tensor<64x!tile.ptr<f16>, #lanes>, !warp.shared<64xf16, #shared>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
// expected-error@+1 {{a ring has at least one slot, got 0}}
tile.func private @no_slot(!warp.ring<0 x {!warp.shared<32xf32, #shared>}, transactions>)

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, transactions>
tile.func @acquire_c2(%ring: !ring, %i: i32) {
  // expected-error@+1 {{takes no index of a slot in a ring of transactions}}
  %slot, %tile = warp.ring.acquire %ring[%i] : !ring
  warp.ring.commit %slot
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @wait_c2(%ring: !ring) {
  // expected-error@+1 {{needs index of a slot in a ring of async_groups}}
  %slot, %tile = warp.ring.wait %ring : !ring
  warp.ring.release %slot
  tile.return
}

// -----

// TMA copies.

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
tile.func @tma_c1(%map: !warp.tensor_map, %i: i32) {
  %m = warp.alloc : !warp.shared<32xf32, #shared>
  // expected-error@+1 {{fills a slot that was acquired from a ring of transactions, got memory of 'warp.alloc'}}
  warp.tma_load %map[%i], %m : !warp.tensor_map, !warp.shared<32xf32, #shared>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, transactions>
tile.func @tma_c2(%ring: !ring, %map: !warp.tensor_map, %i: i32) {
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{needs one to five offsets, at least one for each dimension of}}
  warp.tma_load %map[%i], %tile : !warp.tensor_map, !warp.shared<4x8xf32, #shared>
  warp.ring.commit %slot
  tile.return
}

// -----

#columns = #warp.linear<{offset = [[1, 0], [2, 0], [0, 1], [0, 2], [0, 4]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #columns>}, transactions>
tile.func @tma_c3(%ring: !ring, %map: !warp.tensor_map, %i: i32) {
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{cannot be written in the layout of}}
  warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !warp.shared<4x8xf32, #columns>
  warp.ring.commit %slot
  tile.return
}

// -----

// Scalars.

#two = #warp.linear<{offset = [[1]]}>
tile.func @hand_c1(%x: i32) {
  %m = warp.alloc : !warp.shared<2xi32, #two>
  // expected-error@+1 {{needs the only tile of a slot acquired from a ring of transactions that belongs to one CTA}}
  warp.ring.put_scalar %x, %m : i32, !warp.shared<2xi32, #two>
  tile.return
}

// -----

#two = #warp.linear<{offset = [[1]]}>
!ring = !warp.ring<1 x {!warp.shared<2xi32, #two>, !warp.shared<2xi32, #two>}, transactions>
tile.func @hand_c1_second(%ring: !ring, %x: i32) {
  %slot, %tiles:2 = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{needs the only tile of a slot}}
  warp.ring.put_scalar %x, %tiles#0 : i32, !warp.shared<2xi32, #two>
  warp.ring.commit %slot
  tile.return
}

// -----

#two = #warp.linear<{offset = [[1]]}>
!ring = !warp.ring<1 x {!warp.shared<2xi32, #two>}, transactions>
tile.func @hand_c2(%ring: !ring, %x: f32) {
  %slot, %tile = warp.ring.acquire %ring : !ring
  // expected-error@+1 {{needs a value of 32 or 64 bits and memory of its type, got 'f32' and}}
  warp.ring.put_scalar %x, %tile : f32, !warp.shared<2xi32, #two>
  warp.ring.commit %slot
  tile.return
}

// -----

#two = #warp.linear<{offset = [[1]]}>
tile.func @take_c1() {
  %m = warp.alloc : !warp.shared<2xi32, #two>
  // expected-error@+1 {{reads a slot that was waited for}}
  %x = warp.ring.get_scalar %m : !warp.shared<2xi32, #two>
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<2 x {!warp.shared<32xf32, #shared>}, transactions>
tile.func @acquire_c4_slots(%ring: !ring, %late: i1) {
  // expected-error@+1 {{is throttled in a ring of transactions of at least three slots only, got '!warp.ring<2 x}}
  %slot, %tile = warp.ring.acquire %ring throttled %late : !ring
  warp.ring.commit %slot
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>
!ring = !warp.ring<3 x {!warp.shared<32xf32, #shared>}, async_groups>
tile.func @acquire_c4_groups(%ring: !ring, %i: i32, %late: i1) {
  // expected-error@+1 {{is throttled in a ring of transactions of at least three slots only, got '!warp.ring<3 x}}
  %slot, %tile = warp.ring.acquire %ring[%i] throttled %late : !ring
  warp.ring.commit %slot
  tile.return
}
