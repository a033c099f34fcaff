// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-global-hazards))' -verify-diagnostics -o /dev/null

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
!ptrs = tensor<64x!tile.ptr<f32>, #l>
!tile = tensor<64xf32, #l>

// Reads do not conflict. A thread may write the elements that it has read itself, but %j may lead other threads to them.
tile.func @elements(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %j: tensor<64xi32, #l>) {
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %as = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %bs = tile.splat %b : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %as, %i : !ptrs, tensor<64xi32, #l>
  %q = tile.addptr %as, %j : !ptrs, tensor<64xi32, #l>
  %r = tile.addptr %bs, %i : !ptrs, tensor<64xi32, #l>
  %x = tile.load %p : !ptrs
  // expected-remark@below {{after access 0: never}}
  %y = tile.load %q : !ptrs
  // expected-remark@below {{after access 0: never}}
  // expected-remark@below {{after access 1: always}}
  tile.store %p, %y : !ptrs
  // Another array.
  // expected-remark@below {{after access 0: never}}
  // expected-remark@below {{after access 1: never}}
  // expected-remark@below {{after access 2: never}}
  tile.store %r, %x : !ptrs
  tile.return
}

// Tiles 64 elements apart are disjoint, tiles 32 elements apart overlap.
tile.func @distances(%a: !tile.ptr<f32>, %x: !tile) {
  %c32 = arith.constant 32 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %a32 = tile.addptr %a, %c32 : !tile.ptr<f32>, i32
  %a64 = tile.addptr %a, %c64 : !tile.ptr<f32>, i32
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %s32 = tile.splat %a32 : !tile.ptr<f32> -> !ptrs
  %s64 = tile.splat %a64 : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %i : !ptrs, tensor<64xi32, #l>
  %p32 = tile.addptr %s32, %i : !ptrs, tensor<64xi32, #l>
  %p64 = tile.addptr %s64, %i : !ptrs, tensor<64xi32, #l>
  tile.store %p, %x : !ptrs
  // expected-remark@below {{after access 0: always}}
  %y = tile.load %p32 : !ptrs
  // expected-remark@below {{after access 0: never}}
  // expected-remark@below {{after access 1: never}}
  %z = tile.load %p64 : !ptrs
  tile.return
}

// A loop that advances by whole tiles needs no barrier, one that advances by less does.
tile.func @loops(%a: !tile.ptr<f32>, %x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %i : !ptrs, tensor<64xi32, #l>
  scf.for %k = %c0 to %n step %c64 : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32, #l>
    %q = tile.addptr %p, %ks : !ptrs, tensor<64xi32, #l>
    // expected-remark@below {{after access 0 of the previous iteration: never}}
    tile.store %q, %x : !ptrs
  }
  tile.return
}
tile.func @overlapping_iterations(%a: !tile.ptr<f32>, %x: !tile, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %i = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %i : !ptrs, tensor<64xi32, #l>
  scf.for %k = %c0 to %n step %c32 : i32 {
    %ks = tile.splat %k : i32 -> tensor<64xi32, #l>
    %q = tile.addptr %p, %ks : !ptrs, tensor<64xi32, #l>
    // expected-remark@below {{after access 0 of the previous iteration: always}}
    tile.store %q, %x : !ptrs
  }
  tile.return
}

#row = #warp.linear<{register = [[1], [2]], lane = [[0], [0], [0], [0], [0]], warp = [[0]]}>
#row_column = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 0]]}>
#column = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]]}>
#m = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[0, 32]]}>

// Adjacent column blocks are disjoint if rows are far enough apart, which is known at run time.
tile.func @columns(%a: !tile.ptr<f32>, %stride: i32, %x: tensor<4x64xf32, #m>) {
  %c64 = arith.constant 64 : i32
  %i = tile.range {start = 0 : i32, end = 4 : i32} : tensor<4xi32, #row>
  %i1 = tile.expand_dims %i {axis = 1 : i32} : tensor<4xi32, #row> -> tensor<4x1xi32, #row_column>
  %rows = tile.broadcast %i1 : tensor<4x1xi32, #row_column> -> tensor<4x64xi32, #m>
  %j = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %j1 = tile.expand_dims %j {axis = 0 : i32} : tensor<64xi32, #l> -> tensor<1x64xi32, #column>
  %columns = tile.broadcast %j1 : tensor<1x64xi32, #column> -> tensor<4x64xi32, #m>
  %strides = tile.splat %stride : i32 -> tensor<4x64xi32, #m>
  %starts = arith.muli %rows, %strides : tensor<4x64xi32, #m>
  %offsets = arith.addi %starts, %columns : tensor<4x64xi32, #m>
  %next = tile.addptr %a, %c64 : !tile.ptr<f32>, i32
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<4x64x!tile.ptr<f32>, #m>
  %bs = tile.splat %next : !tile.ptr<f32> -> tensor<4x64x!tile.ptr<f32>, #m>
  %p = tile.addptr %as, %offsets : tensor<4x64x!tile.ptr<f32>, #m>, tensor<4x64xi32, #m>
  %q = tile.addptr %bs, %offsets : tensor<4x64x!tile.ptr<f32>, #m>, tensor<4x64xi32, #m>
  tile.store %p, %x : tensor<4x64x!tile.ptr<f32>, #m>
  // expected-remark@below {{after access 0: if rows overlap}}
  %y = tile.load %q : tensor<4x64x!tile.ptr<f32>, #m>
  tile.return
}
