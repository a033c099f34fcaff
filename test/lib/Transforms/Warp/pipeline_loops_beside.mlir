// RUN: tilewright-opt %s -warp-pipeline-loops="limit=3500" -remark-format=emitRemark -remarks-filter-missed=.* \
// RUN:   -split-input-file -verify-diagnostics | FileCheck %s

#row = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>

// Another loop's ring that a producer fills may be in use meanwhile. What is
// not copied ahead, and is read as it is held, stays in registers.
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

// The rings of copies of loops behind each other have one place.
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
