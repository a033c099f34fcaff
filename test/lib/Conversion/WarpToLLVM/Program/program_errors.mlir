// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

// Calls must be inlined before.
// expected-error@+2 {{must be a kernel with 'warp.num_warps' to run on a GPU}}
// expected-error@+1 {{failed to legalize operation 'tile.func'}}
tile.func @helper(%x: f32) {
  tile.return
}

// -----

// The number of warps is missing.
// expected-error@+2 {{must be a kernel with 'warp.num_warps' to run on a GPU}}
// expected-error@+1 {{failed to legalize operation 'tile.func'}}
tile.func @no_warps(%x: f32) attributes {tile.kernel} {
  tile.return
}
