// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

tile.func @c1() {
  // expected-error@+1 {{gives warps to 1 roles, but has 2}}
  warp.specialize warps [8] {
  }, {
  }
  tile.return
}

// -----

tile.func @no_warps() {
  // expected-error@+1 {{has a role of 0 warps}}
  warp.specialize warps [0] {
  }
  tile.return
}

// -----

tile.func @c2_count() {
  // expected-error@+1 {{gives registers to 1 roles, but has 2}}
  warp.specialize warps [8, 4] registers [240] {
  }, {
  }
  tile.return
}

// -----

tile.func @c2_budget() {
  // expected-error@+1 {{needs budgets that are multiples of 8 from 24 to 256, got 20}}
  warp.specialize warps [8, 4] registers [240, 20] {
  }, {
  }
  tile.return
}

// -----

tile.func @c2_groups() {
  // expected-error@+1 {{sets the registers of a role of 1 warps, which is not a multiple of 4}}
  warp.specialize warps [8, 1] registers [240, 24] {
  }, {
  }
  tile.return
}

// -----

tile.func @barrier_c1() {
  // expected-error@+1 {{must be in a role}}
  warp.named_barrier_wait 0 warps 8
  tile.return
}

// -----

tile.func @barrier_c2() {
  warp.specialize warps [4] {
    // expected-error@+1 {{waits for 2 warps in a role of 4}}
    warp.named_barrier_arrive 0 warps 2
  }
  tile.return
}
