// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// Ping-pong groups that break the order of slots, waits or passes.

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The held slot is released after the skipped ones.
tile.func @holds_while_skipping(%map: !warp.tensor_map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %slot, %tile = warp.ring.wait %ring : !ring
    // expected-error @+1 {{rule 'in order' is broken: skips slots while one that was waited for is not released}}
    warp.ring.skip %ring for %c0 to %c1 step %c1 : i32, !ring
    warp.ring.release %slot
  }, {
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The number of skipped slots is not known.
tile.func @unknown(%map: !warp.tensor_map, %n: i32, %m: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      scf.for %i = %c0 to %n step %c1 : i32 {
        %slot, %tile = warp.ring.wait %ring : !ring
        warp.ring.release %slot
      }
    } else {
      // expected-error @+1 {{rule 'in step' is broken: no loop that fills its ring is known to have the same trip count}}
      warp.ring.skip %ring for %c0 to %m step %c1 : i32, !ring
    }
  }, {
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

// A group does not skip the slot of the other one.
tile.func @not_skipped(%map: !warp.tensor_map) {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a ping-pong group that reads it passes 0 slots}}
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%c0, %c0], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// Both groups skip the slot.
// expected-note @+1 {{where this condition is false}}
tile.func @nobody(%map: !warp.tensor_map, %never: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a role whose ping-pong groups read it waits for 0 slots}}
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    scf.if %never {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    } else {
      warp.ring.skip %ring for %c0 to %c1 step %c1 : i32, !ring
    }
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%c0, %c0], %tile : !warp.tensor_map, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

// The groups wait for each other.
tile.func @both_wait() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // expected-error @+1 {{rule 'in step' is broken: waits for a warp.pingpong_pass that never comes}}
    warp.pingpong_wait
    warp.pingpong_pass
  }, {
  }
  tile.return
}

// -----

tile.func @left_over() {
  // expected-error @+1 {{rule 'in step' is broken: a warp.pingpong_pass has no warp.pingpong_wait}}
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      warp.pingpong_pass
    }
  }, {
  }
  tile.return
}

// -----

tile.func @twice() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      warp.pingpong_pass
      // expected-error @+1 {{rule 'in step' is broken: runs warp.pingpong_pass twice before the next group waits}}
      warp.pingpong_pass
    } else {
      warp.pingpong_wait
      warp.pingpong_wait
    }
  }, {
  }
  tile.return
}

// -----

#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
!bytes = !warp.shared<128xi8, #bytes>

// The memory of the groups overlaps.
tile.func @overlap() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // expected-note @+1 {{the other op}}
    %a = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
    // expected-error @+1 {{rule 'memory intact' is broken: its memory overlaps that of another op, and two roles use them concurrently}}
    %b = warp.alloc {warp.shared_offset = 1024 : i32} : !bytes
  }, {
  } {warp.pingpong_bytes = 1024 : i32}
  tile.return
}

// -----

// expected-error @+2 {{rule 'warps meet' is broken: 7 ping-pong groups need two barriers each, and the CTA has 16}}
tile.func @barriers() {
  warp.specialize warps [28, 4] ping_pong_groups 7 {
  }, {
  }
  tile.return
}
