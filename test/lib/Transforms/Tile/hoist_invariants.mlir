// RUN: tilewright-opt %s -split-input-file -tile-hoist-invariants | FileCheck %s

// CHECK-LABEL: @hoisted
// CHECK: arith.muli
// CHECK: scf.for
tile.func @hoisted(%n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %square = arith.muli %n, %n : i32
    tile.store %out, %square : !tile.ptr<i32>
  }
  tile.return
}

// -----

// The loop disables hoisting. Invariants of an inner loop leave that loop only.
// CHECK-LABEL: @kept
// CHECK: scf.for
// CHECK: arith.muli
// CHECK: scf.for
// CHECK-NOT: arith.muli
tile.func @kept(%n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    scf.for %j = %c0 to %n step %c1 : i32 {
      %square = arith.muli %n, %n : i32
      tile.store %out, %square : !tile.ptr<i32>
    }
  } {tile.disable_licm}
  tile.return
}

// -----

// CHECK-LABEL: @kept_while
// CHECK: scf.while
// CHECK: do
// CHECK: arith.muli
tile.func @kept_while(%n: i32, %out: !tile.ptr<i32>) attributes {tile.kernel} {
  scf.while : () -> () {
    %x = tile.load %out : !tile.ptr<i32>
    %goes_on = arith.cmpi slt, %x, %n : i32
    scf.condition(%goes_on)
  } do {
    %square = arith.muli %n, %n : i32
    tile.store %out, %square : !tile.ptr<i32>
    scf.yield
  } attributes {tile.disable_licm}
  tile.return
}
