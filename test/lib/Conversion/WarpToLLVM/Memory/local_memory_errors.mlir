// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

#s = #warp.linear<{offset = [[1], [2]]}>

// Shared memory has no offset before it is allocated.
tile.func @not_allocated() attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // expected-error@+2 {{'warp.alloc' op needs shared memory but has no 'warp.shared_offset'}}
  // expected-error@+1 {{failed to legalize operation 'warp.alloc'}}
  %m = warp.alloc : !warp.shared<4xf32, #s>
  tile.return
}
