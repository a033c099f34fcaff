// RUN: tilewright-opt %s -warp-sink-conversions | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#few = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]}>
#many = #warp.linear<{register = [[1], [2], [4], [8], [16], [32]], lane = [[0], [0], [0], [0], [0]], warp = [[0], [0]]}>
#other = #warp.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1], [0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 8], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [8, 4], [0, 8]]}>
!ring = !warp.ring<3 x {!warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>}, transactions>

// Growing conversions, and ops computed from them, sink below the loops that do not use them. Other conversions, and
// ops computed from other values, do not move.

// CHECK-LABEL: @rows
// CHECK-SAME: (%[[X:.*]]: tensor<64xi32, #[[FEW:layout[0-9]*]]>, %[[Y:[a-z0-9]*]]: tensor<64xi32
// CHECK: %[[MOVED:.*]] = warp.convert_layout %[[X]] : tensor<64xi32, #[[FEW]]> -> tensor<64xi32, #[[OTHER:layout[0-9]*]]>
// CHECK-NEXT: %[[SCALED:.*]] = arith.muli %[[X]], %[[X]]
// CHECK-NEXT: scf.for
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[NEEDED:.*]] = warp.convert_layout %[[Y]]
// CHECK-NEXT: scf.for
// CHECK: arith.addi %[[NEEDED]]
// CHECK: scf.yield
// CHECK-NEXT: }
// CHECK-NEXT: %[[LATE:.*]] = warp.convert_layout %[[X]] : tensor<64xi32, #[[FEW]]> -> tensor<64xi32, #[[MANY:layout[0-9]*]]>
// CHECK-NEXT: %[[SUM:.*]] = arith.addi %[[LATE]], %[[LATE]]
// CHECK-NEXT: tile.store %{{.*}}, %[[SUM]]
// CHECK-NEXT: tile.store %{{.*}}, %[[SCALED]]
// CHECK-NEXT: tile.store %{{.*}}, %[[MOVED]]
tile.func @rows(%x: tensor<64xi32, #few>, %y: tensor<64xi32, #few>, %k: i32, %p: tensor<64x!tile.ptr<i32>, #many>,
    %q: tensor<64x!tile.ptr<i32>, #few>, %r: tensor<64x!tile.ptr<i32>, #other>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
  %ring = warp.ring : !ring
  %late = warp.convert_layout %x : tensor<64xi32, #few> -> tensor<64xi32, #many>
  %moved = warp.convert_layout %x : tensor<64xi32, #few> -> tensor<64xi32, #other>
  %needed = warp.convert_layout %y : tensor<64xi32, #few> -> tensor<64xi32, #many>
  %sum = arith.addi %late, %late : tensor<64xi32, #many>
  %scaled = arith.muli %x, %x : tensor<64xi32, #few>
  %s = scf.for %i = %zero to %k step %one iter_args(%acc = %none) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    scf.yield %v : tensor<64x16xf32, #c>
  }
  %u = scf.for %i = %zero to %k step %one iter_args(%acc = %s) -> tensor<64x16xf32, #c> : i32 {
    %slot, %a, %b = warp.ring.wait %ring : !ring
    %t = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
    %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %slot
    %n = arith.addi %needed, %needed : tensor<64xi32, #many>
    tile.store %p, %n : tensor<64x!tile.ptr<i32>, #many>
    scf.yield %v : tensor<64x16xf32, #c>
  }
  tile.store %p, %sum : tensor<64x!tile.ptr<i32>, #many>
  tile.store %q, %scaled : tensor<64x!tile.ptr<i32>, #few>
  tile.store %r, %moved : tensor<64x!tile.ptr<i32>, #other>
  tile.return
}

// Without dots nothing moves, and nothing in roles.

// CHECK-LABEL: @no_dots
// CHECK: warp.convert_layout
// CHECK: scf.for
// CHECK-LABEL: @roles
// CHECK: warp.convert_layout
// CHECK: scf.for
tile.func @no_dots(%x: tensor<64xi32, #few>, %k: i32, %p: tensor<64x!tile.ptr<i32>, #many>) attributes {warp.num_warps = 4 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %late = warp.convert_layout %x : tensor<64xi32, #few> -> tensor<64xi32, #many>
  scf.for %i = %zero to %k step %one : i32 {
    warp.barrier
  }
  tile.store %p, %late : tensor<64x!tile.ptr<i32>, #many>
  tile.return
}

tile.func @roles(%x: tensor<64xi32, #few>, %k: i32, %p: tensor<64x!tile.ptr<i32>, #many>)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %none = arith.constant dense<0.0> : tensor<64x16xf32, #c>
    %late = warp.convert_layout %x : tensor<64xi32, #few> -> tensor<64xi32, #many>
    %s = scf.for %i = %zero to %k step %one iter_args(%acc = %none) -> tensor<64x16xf32, #c> : i32 {
      %slot, %a, %b = warp.ring.wait %ring : !ring
      %t = warp.wgmma %a, %b, %acc : !warp.shared<64x16xf16, #a>, !warp.shared<16x16xf16, #b>, tensor<64x16xf32, #c>
      %v = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
      warp.ring.release %slot
      scf.yield %v : tensor<64x16xf32, #c>
    }
    tile.store %p, %late : tensor<64x!tile.ptr<i32>, #many>
  }, {
  }
  tile.return
}

// An operand of the second of two dots sinks below the first one.

#held = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 8], [0, 0]]}>
#left = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8]], lane = [[1, 0], [0, 0], [0, 0], [0, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#right = #warp.linear<{register = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 8]], lane = [[0, 0], [0, 1], [0, 2], [0, 4], [0, 0]], warp = [[0, 0], [0, 0]]}>
#accs = #warp.linear<{register = [[0, 8]], lane = [[1, 0], [0, 1], [0, 2], [0, 4], [2, 0]], warp = [[4, 0], [8, 0]]}>

// CHECK-LABEL: @operands
// CHECK-SAME: (%[[X:[^:]*]]: {{[^%]*}}, %[[Y:[^:]*]]: {{[^%]*}}, %[[Z:[^:]*]]:
// CHECK: warp.convert_layout %[[X]]
// CHECK-NEXT: warp.convert_layout %[[Y]]
// CHECK-NEXT: tile.dot
// CHECK-NEXT: warp.convert_layout %[[Z]]
// CHECK-NEXT: tile.dot
tile.func @operands(%x: tensor<16x16xf32, #held>, %y: tensor<16x16xf32, #held>, %z: tensor<16x16xf32, #held>) -> tensor<16x16xf32, #accs>
    attributes {warp.num_warps = 4 : i32} {
  %none = arith.constant dense<0.0> : tensor<16x16xf32, #accs>
  %a = warp.convert_layout %x : tensor<16x16xf32, #held> -> tensor<16x16xf32, #left>
  %b = warp.convert_layout %y : tensor<16x16xf32, #held> -> tensor<16x16xf32, #right>
  %c = warp.convert_layout %z : tensor<16x16xf32, #held> -> tensor<16x16xf32, #left>
  %first = tile.dot %a, %b, %none : tensor<16x16xf32, #left>, tensor<16x16xf32, #right>, tensor<16x16xf32, #accs>
  %second = tile.dot %c, %b, %first : tensor<16x16xf32, #left>, tensor<16x16xf32, #right>, tensor<16x16xf32, #accs>
  tile.return %second : tensor<16x16xf32, #accs>
}
