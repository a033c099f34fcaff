// RUN: tilewright-opt %s -warp-pipeline-loops="limit=3500" -remark-format=emitRemark -remarks-filter-missed=.* \
// RUN:   -split-input-file -verify-diagnostics | FileCheck %s

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>

// A producer may fill another loop's ring meanwhile. A tile that is not copied
// and is read back in the same layout stays in registers.
// CHECK-LABEL: tile.func @filled_by_a_producer(
// CHECK: warp.ring : {{.*}}, transactions>
// CHECK-NOT: warp.ring
// CHECK-NOT: warp.alloc
// CHECK: tile.load
// CHECK-NEXT: }
tile.func @filled_by_a_producer(%p: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !warp.ring<4 x {!warp.shared<128xf32, #line>}, transactions>
  // expected-remark@+1 {{not pipelined: two slots do not fit into shared memory}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>

// Rings of copies of consecutive loops share their memory.
// CHECK-LABEL: tile.func @filled_by_copies(
// CHECK-COUNT-3: warp.ring {{.*}}groups>
tile.func @filled_by_copies(%p: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Rows come last in a slot.
// CHECK-LABEL: tile.func @row_last(
// CHECK: warp.ring : !warp.ring<3 x {!warp.shared<16x16xf16, #{{.*}}>, !warp.shared<128xf32, #{{.*}}>}, async_groups>
tile.func @row_last(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %n: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = tile.splat %c0 : i32 -> tensor<16x16xi32, #rows>
  %ptrs = tile.addptr %q, %zero {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    %u = tile.load %ptrs : tensor<16x16x!tile.ptr<f16>, #rows>
    %v = warp.alloc %u : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %y = warp.local_load %v : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// A row that would cost a slot is not copied.
// CHECK-LABEL: tile.func @row_left_out(
// CHECK: warp.ring : !warp.ring<2 x {!warp.shared<16x16xf32, #{{.*}}>}, async_groups>
// CHECK: scf.for
// CHECK: tile.load {{.*}} : tensor<128x!tile.ptr<f32>
tile.func @row_left_out(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<16x16x!tile.ptr<f32>, #rows> {tile.divisibility = 16 : i32}, %n: i32) -> tensor<128xf32, #row> attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<128xf32, #row>
  // expected-remark@+1 {{a ring of 2 slots instead of 3}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%z = %none) -> (tensor<128xf32, #row>) : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    %u = tile.load %q : tensor<16x16x!tile.ptr<f32>, #rows>
    %v = warp.alloc %u : (tensor<16x16xf32, #rows>) -> !warp.shared<16x16xf32, #plain>
    %y = warp.local_load %v : !warp.shared<16x16xf32, #plain> -> tensor<16x16xf32, #rows>
    %next = arith.addf %z, %x : tensor<128xf32, #row>
    scf.yield %next : tensor<128xf32, #row>
  }
  tile.return %sum : tensor<128xf32, #row>
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Nor is a row that the loop writes again, but the tile next to it is.
// CHECK-LABEL: tile.func @row_written(
// CHECK: warp.ring : !warp.ring<3 x {!warp.shared<16x16xf16, #{{.*}}>}, async_groups>
// CHECK: scf.for
// CHECK: tile.load {{.*}} : tensor<128x!tile.ptr<f32>
// CHECK: tile.store
tile.func @row_written(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<16x16x!tile.ptr<f16>, #rows> {tile.divisibility = 16 : i32}, %n: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = tile.splat %c0 : i32 -> tensor<16x16xi32, #rows>
  %ptrs = tile.addptr %q, %zero {tile.contiguity = array<i32: 1, 16>, tile.divisibility = array<i32: 16, 16>} : tensor<16x16x!tile.ptr<f16>, #rows>, tensor<16x16xi32, #rows>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    %u = tile.load %ptrs : tensor<16x16x!tile.ptr<f16>, #rows>
    %v = warp.alloc %u : (tensor<16x16xf16, #rows>) -> !warp.shared<16x16xf16, #plain>
    %y = warp.local_load %v : !warp.shared<16x16xf16, #plain> -> tensor<16x16xf16, #rows>
    tile.store %p, %x : tensor<128x!tile.ptr<f32>, #row>
  }
  tile.return
}
