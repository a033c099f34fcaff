// RUN: tilewright-opt %s -warp-insert-barriers | FileCheck %s

// The offsets decide which accesses conflict, not the ops that own the memory.

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// The second half of the first tile is the first half of the second one.
// CHECK-LABEL: @overlapping
// CHECK: warp.local_store
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.local_load
tile.func @overlapping(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc {warp.shared_offset = 64 : i32} : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// The tiles are adjacent: 128 bytes each.
// CHECK-LABEL: @adjacent
// CHECK-NOT: warp.barrier
// CHECK: tile.return
tile.func @adjacent(%x: tensor<16x4xf16, #rows>) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  %b = warp.alloc {warp.shared_offset = 128 : i32} : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  %y = warp.local_load %b : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}

// The barrier of a branch does not cover the other path.
// CHECK-LABEL: @branch
// CHECK: scf.if
// CHECK-NEXT: warp.barrier
// CHECK: }
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.local_load
tile.func @branch(%x: tensor<16x4xf16, #rows>, %c: i1) {
  %a = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x4xf16, #plain>
  warp.local_store %x, %a : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #plain>
  scf.if %c {
    %z = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  }
  %y = warp.local_load %a : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  tile.return
}
