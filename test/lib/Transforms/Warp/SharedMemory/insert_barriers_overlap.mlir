// RUN: tilewright-opt %s -warp-allocate-shared -warp-insert-barriers | FileCheck %s

// Adjacent tiles along a dimension, with rows that overlap or do not.

#l = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 1]]}>
#rows = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0]]}>
#columns = #warp.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1]]}>
#r = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 0]]}>
#c = #warp.linear<{register = [], lane = [[0, 0], [0, 0], [0, 0], [0, 0], [0, 0]], warp = [[0, 1]]}>

!ptrs = tensor<32x2x!tile.ptr<f32>, #l>
!at = tensor<32x2xi32, #l>

// The last element of a row is the first one of the next: the tile below has it, too.
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

// A row ends where the next one begins.
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

// Rows whose distance is an argument: a guard checks it at run time, also in a loop
// that loads and stores them. For a loop that only stores them, rows within a tile
// are assumed to be disjoint, and so are those of different tiles.
// CHECK-LABEL: @argument(
// CHECK-SAME: tile.ptr<f32>, %[[STRIDE:arg[0-9]]]: i32, %arg4: i32
// CHECK: tile.store
// CHECK-NEXT: %[[WIDE:.*]] = arith.extsi %[[STRIDE]] : i32 to i64
// CHECK-NEXT: %[[TWO:.*]] = arith.constant 2 : i64
// CHECK-NEXT: %[[NEAR:.*]] = arith.cmpi slt, %[[WIDE]], %[[TWO]] : i64
// CHECK-NEXT: scf.if %[[NEAR]] {
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: }
// CHECK-NEXT: tile.load
// CHECK: scf.for
// CHECK: arith.cmpi slt
// CHECK-NEXT: scf.if
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: }
// CHECK-NEXT: tile.load
// CHECK-NEXT: tile.store
// CHECK: scf.for
// CHECK-NOT: warp.barrier
// CHECK: } {stores}
tile.func @argument(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %stride: i32, %n: i32, %x: tensor<32x2xf32, #l>) {
  %rows = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #rows>
  %columns = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32, #columns>
  %r = tile.expand_dims %rows {axis = 1 : i32} : tensor<32xi32, #rows> -> tensor<32x1xi32, #r>
  %k = tile.expand_dims %columns {axis = 0 : i32} : tensor<2xi32, #columns> -> tensor<1x2xi32, #c>
  %rr = tile.broadcast %r : tensor<32x1xi32, #r> -> !at
  %kk = tile.broadcast %k : tensor<1x2xi32, #c> -> !at
  %strides = tile.splat %stride : i32 -> !at
  %lines = arith.muli %rr, %strides : !at
  %at = arith.addi %lines, %kk : !at
  %s = tile.splat %a : !tile.ptr<f32> -> !ptrs
  %p = tile.addptr %s, %at : !ptrs, !at
  %c32 = arith.constant 32 : i32
  %far = arith.muli %stride, %c32 : i32
  %below = tile.splat %far : i32 -> !at
  %q = tile.addptr %p, %below : !ptrs, !at
  tile.store %q, %x : !ptrs
  %y = tile.load %p : !ptrs
  %c0 = arith.constant 0 : i32
  %sb = tile.splat %b : !tile.ptr<f32> -> !ptrs
  scf.for %i = %c0 to %n step %c32 : i32 {
    %down = arith.muli %i, %stride : i32
    %downs = tile.splat %down : i32 -> !at
    %offset = arith.addi %at, %downs : !at
    %t = tile.addptr %sb, %offset : !ptrs, !at
    %v = tile.load %t : !ptrs
    tile.store %t, %v : !ptrs
  }
  %sc = tile.splat %c : !tile.ptr<f32> -> !ptrs
  scf.for %i = %c0 to %n step %c32 : i32 {
    %down = arith.muli %i, %stride : i32
    %downs = tile.splat %down : i32 -> !at
    %offset = arith.addi %at, %downs : !at
    %t = tile.addptr %sc, %offset : !ptrs, !at
    tile.store %t, %x : !ptrs
  } {stores}
  tile.return
}
