// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file --verify-diagnostics

#l = #warp.linear<{register = [], lane = [[1, 1], [2, 0], [0, 1], [0, 2], [0, 4]], warp = []}>

// A lane bit that changes both indices.
tile.func @swizzled(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x8x!tile.ptr<i32>, #l>
  %v = tile.load %ps : tensor<4x8x!tile.ptr<i32>, #l>
  // expected-error @+2 {{has a layout that cannot be scanned along axis 0}}
  // expected-error @below {{failed to legalize operation 'tile.scan'}}
  %s = "tile.scan"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.addi %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<4x8xi32, #l>) -> tensor<4x8xi32, #l>
  tile.store %ps, %s : tensor<4x8x!tile.ptr<i32>, #l>
  tile.return
}
