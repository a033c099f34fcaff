// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>

// Warps exchange partials through shared memory, which is not allocated.
tile.func @not_allocated(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %v = tile.splat %x : f32 -> tensor<64xf32, #l>
  // expected-error@+2 {{'tile.reduce' op needs shared memory but has no 'warp.shared_offset'}}
  // expected-error@+1 {{failed to legalize operation 'tile.reduce'}}
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<64xf32, #l>) -> f32
  tile.store %p, %s : !tile.ptr<f32>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1, 0], [1, 1], [0, 2], [0, 4], [0, 8]], warp = []}>
#o = #warp.linear<{register = [], lane = [[1], [1], [0], [0], [0]], warp = []}>

// Lane bit 1 changes the row and the column: the elements of a row are not a
// group of lanes.
tile.func @swizzled(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %v = tile.splat %x : f32 -> tensor<2x16xf32, #l>
  // expected-error@+2 {{has a layout that cannot be reduced along axis 1}}
  // expected-error@+1 {{failed to legalize operation 'tile.reduce'}}
  %s = "tile.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<2x16xf32, #l>) -> tensor<2xf32, #o>
  tile.return
}
