// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// Roles that do not pass the slots of their rings in step.

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The bounds differ.
tile.func @bounds(%map: !warp.tensor_map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a role that reads it waits for 0 slots}}
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    // expected-note @+1 {{where this loop runs 0 times}}
    scf.for %i = %c0 to %m step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    // expected-note @+1 {{where this loop runs 1 times}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// One filled slot is never read.
tile.func @left_over(%map: !warp.tensor_map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a role that reads it waits for 0 slots}}
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    %first, %t = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%c0, %c0], %t : !warp.tensor_map, !tile
    warp.ring.commit %first
    // expected-note @+1 {{where this loop runs 0 times}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The consumer reads all of the first ring before the second one. The producer
// fills them alternately: correct with two slots, but not with more iterations.
tile.func @deadlock(%map: !warp.tensor_map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = warp.ring : !ring
  %second = warp.ring : !ring
  warp.specialize warps [1, 1] {
    scf.for %i = %c0 to %n step %c1 : i32 {
      // expected-error @+1 {{rule 'in step' is broken: waits for a slot that never comes}}
      %slot, %tile = warp.ring.wait %first : !ring
      warp.ring.release %slot
    }
    scf.for %i = %c0 to %n step %c1 : i32 {
      %slot, %tile = warp.ring.wait %second : !ring
      warp.ring.release %slot
    }
  }, {
    // expected-note @+1 {{where this loop runs 4 times}}
    scf.for %i = %c0 to %n step %c1 : i32 {
      %a, %x = warp.ring.acquire %first : !ring
      warp.tma_load %map[%i, %i], %x : !warp.tensor_map, !tile
      warp.ring.commit %a
      %b, %y = warp.ring.acquire %second : !ring
      warp.tma_load %map[%i, %i], %y : !warp.tensor_map, !tile
      warp.ring.commit %b
    }
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Each role has a different condition.
tile.func @conditions(%map: !warp.tensor_map, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a role that reads it waits for 0 slots}}
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    // expected-note @+1 {{where this condition is false}}
    %c = arith.cmpi sgt, %n, %c1 : i32
    scf.if %c {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    // expected-note @+1 {{where this condition is true}}
    %c = arith.cmpi sge, %n, %c1 : i32
    scf.if %c {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%n, %n], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<3 x {!tile}, transactions>

// A throttled producer fills two of three slots. The consumer holds both when it waits for the third.
tile.func @throttled(%map: !warp.tensor_map, %late: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c3 = arith.constant 3 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %a, %at = warp.ring.wait %ring : !ring
    %b, %bt = warp.ring.wait %ring : !ring
    // expected-error @+1 {{rule 'in step' is broken: waits for a slot that never comes}}
    %c, %ct = warp.ring.wait %ring : !ring
    warp.ring.release %a
    warp.ring.release %b
    warp.ring.release %c
  }, {
    scf.for %i = %c0 to %c3 step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring throttled %late : !ring
      warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}
