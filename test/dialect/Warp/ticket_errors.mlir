// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

tile.func @wait_c1(%slot: i32) {
  // expected-note@+1 {{the roles are defined here}}
  warp.specialize warps [4, 1] {
    // expected-error@+1 {{must be outside of roles: it is for all threads of the program}}
    warp.ticket_wait %slot
  }, {
  }
  tile.return
}

// -----

tile.func @pass_c1(%slot: i32) {
  // expected-note@+1 {{the roles are defined here}}
  warp.specialize warps [4, 1] {
  }, {
    // expected-error@+1 {{must be outside of roles: it is for all threads of the program}}
    warp.ticket_pass %slot
  }
  tile.return
}

// -----

// The attributes belong on functions and atomics.

tile.func @attribute(%p: !tile.ptr<f32>) {
  // expected-error@+1 {{unknown attribute 'warp.by_element'}}
  %0 = tile.load %p {warp.by_element} : !tile.ptr<f32>
  tile.return
}
