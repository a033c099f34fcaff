// RUN: tilewright-opt %s --warp-order-programs --split-input-file -verify-diagnostics

// Roles run concurrently.

tile.func @role(%p: !tile.ptr<f32>, %x: f32) {
  warp.specialize warps [4, 1] {
    // expected-error@+1 {{an atomic operation in a role, which has no order among programs, in a kernel that is compiled with deterministic=True; move it after the roles}}
    %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
  }, {
  }
  tile.return
}

// -----

// The descriptor is known only at run time.

tile.func @chosen(%d: !tile.desc<8x16xf32>, %x: tensor<8x16xf32>, %i: i32) {
  // expected-error@+1 {{the descriptor must be made in the same kernel}}
  tile.descriptor_store %d[%i, %i], %x reduce fadd : !tile.desc<8x16xf32>, tensor<8x16xf32>
  tile.return
}
