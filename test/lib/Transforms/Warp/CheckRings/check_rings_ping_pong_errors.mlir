// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -warp-check-rings

// Teams that do not pass the slots of a ring, or the turn, as they should.

#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The slot that is held is given back behind those that are passed by.
tile.func @holds_while_passing(%map: !warp.tensor_map) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %slot, %tile = warp.ring.wait %ring : !ring
    // expected-error @+1 {{rule 'in turn' is broken: passes slots by while one that was waited for is not given back}}
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

// Nothing tells how many that are.
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
      // expected-error @+1 {{rule 'in step' is broken: no loop that fills its ring is known to run as often}}
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

// A team forgets the other one's slot.
tile.func @left_behind(%map: !warp.tensor_map) {
  %c0 = arith.constant 0 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a team that reads it passes 0 slots}}
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

// Both take it for the other one's.
// expected-note @+1 {{where this condition is false}}
tile.func @nobody(%map: !warp.tensor_map, %never: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-error @+1 {{rule 'in step' is broken: is filled 1 times, and a role whose teams read it waits for 0 slots}}
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

// Each waits for the other one.
tile.func @both_wait() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // expected-error @+1 {{rule 'in step' is broken: waits for a turn that never comes}}
    warp.pingpong_wait
    warp.pingpong_pass
  }, {
  }
  tile.return
}

// -----

tile.func @left_over() {
  // expected-error @+1 {{rule 'in step' is broken: a team passes a turn that nobody waits for}}
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
      // expected-error @+1 {{rule 'in step' is broken: passes the turn twice before it is taken}}
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

// Memory of one team is also that of the other.
tile.func @overlap() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // expected-note @+1 {{the other op}}
    %a = warp.alloc {warp.shared_offset = 0 : i32} : !bytes
    // expected-error @+1 {{rule 'memory kept' is broken: its memory is also that of another op, and two roles use them at the same time}}
    %b = warp.alloc {warp.shared_offset = 1024 : i32} : !bytes
  }, {
  } {warp.pingpong_bytes = 1024 : i32}
  tile.return
}

// -----

// expected-error @+2 {{rule 'warps meet' is broken: 7 teams need two barriers each, and the block has 16}}
tile.func @barriers() {
  warp.specialize warps [28, 4] ping_pong_groups 7 {
  }, {
  }
  tile.return
}
