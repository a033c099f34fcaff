// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// A team is a warpgroup.
tile.func @specialize_c3() {
  // expected-error@+1 {{has 2 teams in a role of 4 warps, not 4 for each}}
  warp.specialize warps [4, 4] ping_pong_groups 2 {
  }, {
  }
  tile.return
}

// -----

tile.func @no_ping_pong() {
  // expected-error@+1 {{attribute 'pingPongGroups' failed to satisfy constraint: 32-bit signless integer attribute whose value is positive}}
  warp.specialize warps [4, 4] ping_pong_groups 0 {
  }, {
  }
  tile.return
}

// -----

tile.func @leads_c1() {
  warp.specialize warps [8, 4] {
    // expected-error@+1 {{is for teams, and stands in no role that has some}}
    %leads = warp.pingpong_leads
  }, {
  }
  tile.return
}

// -----

// The other roles have none.
tile.func @wait_c1() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
  }, {
    // expected-error@+1 {{is for teams, and stands in no role that has some}}
    warp.pingpong_wait
  }
  tile.return
}

// -----

tile.func @pass_c1() {
  // expected-error@+1 {{is for teams, and stands in no role that has some}}
  warp.pingpong_pass
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, transactions>

tile.func @skip_c1_role(%n: i32) {
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] {
    // expected-error@+1 {{is for teams, and stands in no role that has some}}
    warp.ring.skip %ring for %n to %n step %n : i32, !ring
  }, {
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, async_groups>

tile.func @skip_c1_ring(%n: i32) {
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    // expected-error@+1 {{passes slots by of a ring of async_groups, which each team fills itself}}
    warp.ring.skip %ring for %n to %n step %n : i32, !ring
  }, {
  }
  tile.return
}

// -----

// expected-error@+1 {{unknown attribute 'warp.pingpong_bytes'}}
tile.func @bytes() attributes {warp.pingpong_bytes = 1024 : i32} {
  tile.return
}
