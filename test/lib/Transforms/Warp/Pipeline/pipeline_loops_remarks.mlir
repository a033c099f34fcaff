// RUN: tilewright-opt %s -warp-pipeline-loops="limit=1500" -remark-format=emitRemark -remarks-filter-missed=.* \
// RUN:   -split-input-file -verify-diagnostics | FileCheck %s

// The loops left alone, each with its reason: nothing here gets a ring.
// CHECK-NOT: warp.ring
// CHECK: tile.func

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @volatile(%p: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{not pipelined: it is volatile}}
    %t = tile.load %p volatile : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @other(%p: tensor<128x!tile.ptr<f32>, #row>, %m: tensor<128xi1, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<128xf32, #row>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{not pipelined: masked-off elements are not zero}}
    %t = tile.load %p, %m, %one : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @narrow(%p: tensor<128x!tile.ptr<f16>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{not pipelined: fewer than 4 bytes are known to be contiguous in memory}}
    %t = tile.load %p : tensor<128x!tile.ptr<f16>, #row>
    %s = warp.alloc %t : (tensor<128xf16, #row>) -> !warp.shared<128xf16, #line>
    %x = warp.local_load %s : !warp.shared<128xf16, #line> -> tensor<128xf16, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @volatile_index(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<i32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %o = tile.load %q volatile : tensor<128x!tile.ptr<i32>, #row>
    %r = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
    // expected-remark@+1 {{not pipelined: its addresses depend on a volatile load}}
    %t = tile.load %r : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

// Data that is read after a volatile load may be the data that it waits for.
#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @volatile_flag(%p: tensor<128x!tile.ptr<f32>, #row>, %flag: !tile.ptr<i32>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{not pipelined: other programs may write the loaded data meanwhile}}
    %set = tile.load %flag volatile : !tile.ptr<i32>
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

// The same for the index of an index.
#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @volatile_index_of_index(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<i32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %z = tile.load %q volatile : tensor<128x!tile.ptr<i32>, #row>
    %qz = tile.addptr %q, %z : tensor<128x!tile.ptr<i32>, #row>, tensor<128xi32, #row>
    %o = tile.load %qz : tensor<128x!tile.ptr<i32>, #row>
    %r = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
    // expected-remark@+1 {{not pipelined: its addresses depend on a volatile load}}
    %t = tile.load %r : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @taken_index(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<i32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %one = arith.constant dense<1> : tensor<128xi32, #row>
    %o = tile.atomic_rmw add relaxed gpu %q, %one : tensor<128x!tile.ptr<i32>, #row>
    %r = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
    // expected-remark@+1 {{not pipelined: its addresses depend on memory that the loop changes}}
    %t = tile.load %r : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @chosen_index(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<i32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %one = arith.constant dense<1> : tensor<128xi32, #row>
    %first = arith.cmpi eq, %i, %c0 : i32
    %o = scf.if %first -> tensor<128xi32, #row> {
      %loaded = tile.load %q : tensor<128x!tile.ptr<i32>, #row>
      scf.yield %loaded : tensor<128xi32, #row>
    } else {
      scf.yield %one : tensor<128xi32, #row>
    }
    %r = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
    // expected-remark@+1 {{not pipelined: its addresses depend on a branch in the loop}}
    %t = tile.load %r : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

// The loop writes the indices.
#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @written_index(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<i32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %one = arith.constant dense<1> : tensor<128xi32, #row>
    %o = tile.load %q : tensor<128x!tile.ptr<i32>, #row>
    %r = tile.addptr %p, %o : tensor<128x!tile.ptr<f32>, #row>, tensor<128xi32, #row>
    %t = tile.load %r : tensor<128x!tile.ptr<f32>, #row>
    %s0 = arith.addi %o, %one : tensor<128xi32, #row>
    // expected-remark@+1 {{not pipelined: it may write the data that the loop loads}}
    tile.store %q, %s0 : tensor<128x!tile.ptr<i32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32]]}>
#turned = #warp.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32]]}>
tile.func @converted(%p: tensor<64x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %q = warp.convert_layout %p : tensor<64x!tile.ptr<f32>, #row> -> tensor<64x!tile.ptr<f32>, #turned>
    // expected-remark@+1 {{not pipelined: its addresses go through shared memory}}
    %t = tile.load %q : tensor<64x!tile.ptr<f32>, #turned>
    %s = warp.alloc %t : (tensor<64xf32, #turned>) -> !warp.shared<64xf32, #line>
    %x = warp.local_load %s : !warp.shared<64xf32, #line> -> tensor<64xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @written_again(%p: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<128xf32, #row>
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@+1 {{not pipelined: its memory is written again or leaves the loop}}
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    warp.local_store %one, %s : tensor<128xf32, #row> -> !warp.shared<128xf32, #line>
  }
  tile.return
}

// -----

// Writes to another array do not matter, nor do atomic operations on it whose result is unused. A used result may tell
// of a write elsewhere.
#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @other_array(%p: tensor<128x!tile.ptr<f32>, #row>, %q: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{a ring of 2 slots instead of 3}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    tile.store %q, %x : tensor<128x!tile.ptr<f32>, #row>
    %old = tile.atomic_rmw fadd acq_rel gpu %q, %x : tensor<128x!tile.ptr<f32>, #row>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    // expected-remark@+1 {{not pipelined: it may write the data that the loop loads}}
    %old = tile.atomic_rmw fadd acq_rel gpu %q, %x : tensor<128x!tile.ptr<f32>, #row>
    tile.store %q, %old : tensor<128x!tile.ptr<f32>, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @store(%p: tensor<128x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    // expected-remark@+1 {{not pipelined: it may write the data that the loop loads}}
    tile.store %p, %x : tensor<128x!tile.ptr<f32>, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2], [128]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128]]}>
tile.func @large(%p: tensor<256x!tile.ptr<f32>, #row>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{not pipelined: two slots do not fit into shared memory}}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %t = tile.load %p : tensor<256x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<256xf32, #row>) -> !warp.shared<256xf32, #line>
    %x = warp.local_load %s : !warp.shared<256xf32, #line> -> tensor<256xf32, #row>
  }
  tile.return
}

// -----

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
tile.func @early_exit(%p: tensor<128x!tile.ptr<f32>, #row>, %go: i1) {
  // expected-remark@+1 {{not pipelined: its trip count is not known before it starts}}
  scf.while : () -> () {
    scf.condition(%go)
  } do {
    %t = tile.load %p : tensor<128x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<128xf32, #row>) -> !warp.shared<128xf32, #line>
    %x = warp.local_load %s : !warp.shared<128xf32, #line> -> tensor<128xf32, #row>
    scf.yield
  }
  tile.return
}
