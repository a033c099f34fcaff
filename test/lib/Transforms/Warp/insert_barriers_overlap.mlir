// RUN: tilewright-opt %s -warp-allocate-shared -warp-insert-barriers | FileCheck %s

// Tiles beside each other along a side, with rows that overlap or do not.

#l = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1]]}>
#rows = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
#columns = #warp.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1]]}>
#r = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 1]]}>

!ptrs = tensor<32x2x!tile.ptr<f32>, #l>
!at = tensor<32x2xi32, #l>

// Rows of one element that the next one begins with: the tile below has the last of them.
// CHECK-LABEL: @overlapping(
// CHECK: tile.store
// CHECK: warp.barrier
// CHECK: tile.load
tile.func @overlapping(%a: !tile.ptr<f32>, %x: tensor<32x2xf32, #l>) {
  %rows = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
  %columns = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #columns>
  %r = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #r>
  %c = tile.expand_dims %columns {axis = 0 : i32} : tensor<2xi32, #columns> -> tensor<1x2xi32, #c>
  %rr = tile.broadcast %r : tensor<32x1xi32, #r> -> !at
  %cc = tile.broadcast %c : tensor<1x2xi32, #c> -> !at
  %at = arith.addi %rr, %cc : !at
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %at : !ptrs, !at
  %below = arith.constant dense<32> : !at
  %q = tile.addptr %p, %below : !ptrs, !at
  tile.store %q, %x : !ptrs
  %y = tile.load %p : !ptrs
  tile.return
}

// Rows that end where the next one begins.
// CHECK-LABEL: @apart(
// CHECK: tile.store
// CHECK-NOT: warp.barrier
// CHECK: tile.load
tile.func @apart(%a: !tile.ptr<f32>, %x: tensor<32x2xf32, #l>) {
  %rows = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
  %columns = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #columns>
  %r = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #r>
  %c = tile.expand_dims %columns {axis = 0 : i32} : tensor<2xi32, #columns> -> tensor<1x2xi32, #c>
  %rr = tile.broadcast %r : tensor<32x1xi32, #r> -> !at
  %cc = tile.broadcast %c : tensor<1x2xi32, #c> -> !at
  %two = arith.constant dense<2> : !at
  %rows2 = arith.muli %rr, %two : !at
  %at = arith.addi %rows2, %cc : !at
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %at : !ptrs, !at
  %below = arith.constant dense<64> : !at
  %q = tile.addptr %p, %below : !ptrs, !at
  tile.store %q, %x : !ptrs
  %y = tile.load %p : !ptrs
  tile.return
}
