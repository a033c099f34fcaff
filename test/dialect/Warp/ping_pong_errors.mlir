// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// A ping-pong group is a warpgroup.
tile.func @specialize_c3() {
  // expected-error@+1 {{has 2 ping-pong groups in a role of 4 warps, expected 4 warps per group}}
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
    // expected-error@+1 {{must be in a role with ping-pong groups}}
    %leads = warp.pingpong_leads
  }, {
  }
  tile.return
}

// -----

// Only the first role has ping-pong groups.
tile.func @wait_c1() {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
  }, {
    // expected-error@+1 {{must be in a role with ping-pong groups}}
    warp.pingpong_wait
  }
  tile.return
}

// -----

tile.func @pass_c1() {
  // expected-error@+1 {{must be in a role with ping-pong groups}}
  warp.pingpong_pass
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, transactions>

tile.func @skip_c1_role(%n: i32) {
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] {
    // expected-error@+1 {{must be in a role with ping-pong groups}}
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
    // expected-error@+1 {{skips slots of a ring of async_groups, which each ping-pong group fills itself}}
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
