// RUN: tilewright-opt %s -split-input-file -tile-speculate-loads | FileCheck %s

// Both loads of the sums start together with that of the count.
// CHECK-LABEL: @under_a_lock
// CHECK: tile.load %arg0
// CHECK: %[[X:.*]] = tile.load %arg1
// CHECK: %[[Y:.*]] = tile.load %arg2
// CHECK: scf.if
// CHECK-NOT: tile.load
tile.func @under_a_lock(%c: !tile.ptr<i32>, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %a: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %count = tile.load %c : !tile.ptr<i32>
  %first = arith.cmpi eq, %count, %zero : i32
  %s, %t = scf.if %first -> (f32, f32) {
    tile.store %c, %zero : !tile.ptr<i32>
    scf.yield %a, %a : f32, f32
  } else {
    %x = tile.load %p : !tile.ptr<f32>
    %u = arith.addf %x, %a : f32
    %y = tile.load %q : !tile.ptr<f32>
    %v = arith.addf %y, %a : f32
    scf.yield %u, %v : f32, f32
  }
  tile.store %p, %s : !tile.ptr<f32>
  tile.store %q, %t : !tile.ptr<f32>
  tile.return
}

// -----

// The masks must be the same, or the memory might not belong to the program.
// Memory that is not written might not, either.
// CHECK-LABEL: @masks
// CHECK: scf.if
// CHECK: tile.load %arg1, %arg3
// CHECK: tile.load %arg2
tile.func @masks(%c: !tile.ptr<i32>, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %m: i1, %n: i1, %a: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %count = tile.load %c : !tile.ptr<i32>
  %first = arith.cmpi eq, %count, %zero : i32
  %s = scf.if %first -> f32 {
    scf.yield %a : f32
  } else {
    %x = tile.load %p, %m : !tile.ptr<f32>
    %y = tile.load %q : !tile.ptr<f32>
    %u = arith.addf %x, %y : f32
    scf.yield %u : f32
  }
  tile.store %p, %s, %n : !tile.ptr<f32>
  tile.return
}

// -----

// The branch may load what it wrote before, and an op in between may never end.
// CHECK-LABEL: @order
// CHECK: scf.if
// CHECK: tile.store
// CHECK: tile.load %arg1
// CHECK: scf.if
// CHECK: tile.load %arg2
tile.func @order(%c: !tile.ptr<i32>, %p: !tile.ptr<f32>, %q: !tile.ptr<f32>, %a: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %count = tile.load %c : !tile.ptr<i32>
  %first = arith.cmpi eq, %count, %zero : i32
  %s = scf.if %first -> f32 {
    scf.yield %a : f32
  } else {
    tile.store %q, %a : !tile.ptr<f32>
    %x = tile.load %p : !tile.ptr<f32>
    scf.yield %x : f32
  }
  tile.store %p, %s : !tile.ptr<f32>
  %t = scf.if %first -> f32 {
    %y = tile.load %q : !tile.ptr<f32>
    scf.yield %y : f32
  } else {
    scf.yield %a : f32
  }
  scf.while : () -> () {
    %again = tile.load %c : !tile.ptr<i32>
    %goes = arith.cmpi eq, %again, %zero : i32
    scf.condition(%goes)
  } do {
    scf.yield
  }
  tile.store %q, %t : !tile.ptr<f32>
  tile.return
}

// -----

// The condition does not depend on a load.
// CHECK-LABEL: @known
// CHECK: scf.if
// CHECK: tile.load
tile.func @known(%n: i32, %p: !tile.ptr<f32>, %a: f32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %first = arith.cmpi eq, %n, %zero : i32
  %s = scf.if %first -> f32 {
    scf.yield %a : f32
  } else {
    %x = tile.load %p : !tile.ptr<f32>
    scf.yield %x : f32
  }
  tile.store %p, %s : !tile.ptr<f32>
  tile.return
}
