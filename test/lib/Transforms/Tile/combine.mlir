// RUN: tilewright-opt %s -tile-combine | FileCheck %s

// CHECK-LABEL: @shapes_of_splats
// CHECK: %[[S:.*]] = tile.splat %{{.*}} : f32 -> tensor<8x4xf32>
// CHECK-NEXT: tile.return %[[S]]
tile.func @shapes_of_splats(%x: f32) -> tensor<8x4xf32> {
  %s = tile.splat %x : f32 -> tensor<4xf32>
  %e = tile.expand_dims %s {axis = 1 : i32} : tensor<4xf32> -> tensor<4x1xf32>
  %b = tile.broadcast %e : tensor<4x1xf32> -> tensor<4x8xf32>
  %t = tile.transpose %b {order = array<i32: 1, 0>} : tensor<4x8xf32> -> tensor<8x4xf32>
  tile.return %t : tensor<8x4xf32>
}

// CHECK-LABEL: @work_on_scalars
// CHECK-SAME: %[[P:.*]]: !tile.ptr<f32>, %[[X:.*]]: i32
// CHECK-DAG: %[[C:.*]] = arith.constant 3 : i32
// CHECK: %[[M:.*]] = arith.muli %[[X]], %[[C]] : i32
// CHECK: %[[Q:.*]] = tile.addptr %[[P]], %[[M]] : !tile.ptr<f32>, i32
// CHECK: tile.splat %[[Q]]
tile.func @work_on_scalars(%p: !tile.ptr<f32>, %x: i32) -> tensor<16x!tile.ptr<f32>> {
  %c = arith.constant dense<3> : tensor<16xi32>
  %xs = tile.splat %x : i32 -> tensor<16xi32>
  %m = arith.muli %xs, %c : tensor<16xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %ps, %m : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.return %q : tensor<16x!tile.ptr<f32>>
}

// An operand whose elements differ keeps the result a tile.
// CHECK-LABEL: @mixed
// CHECK: arith.addi %{{.*}}, %{{.*}} : tensor<16xi32>
tile.func @mixed(%x: i32) -> tensor<16xi32> {
  %xs = tile.splat %x : i32 -> tensor<16xi32>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %s = arith.addi %xs, %r : tensor<16xi32>
  tile.return %s : tensor<16xi32>
}

// CHECK-LABEL: @sum_into_dot
// CHECK-SAME: %[[A:.*]]: tensor<16x16xf16>, %[[B:.*]]: tensor<16x16xf16>, %[[C:.*]]: tensor<16x16xf32>
// CHECK: tile.dot %[[A]], %[[B]], %[[C]]
// CHECK-NOT: arith.addf
tile.func @sum_into_dot(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>) -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  tile.return %s : tensor<16x16xf32>
}

// The dot has another use, so it is computed once.
// CHECK-LABEL: @shared_dot
// CHECK: tile.dot
// CHECK: arith.addf
tile.func @shared_dot(%a: tensor<16x16xf16>, %b: tensor<16x16xf16>, %c: tensor<16x16xf32>)
    -> (tensor<16x16xf32>, tensor<16x16xf32>) {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x16xf16>, tensor<16x16xf16>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  tile.return %s, %d : tensor<16x16xf32>, tensor<16x16xf32>
}

// Tensor cores would accumulate with less precision than float32.
// CHECK-LABEL: @sum_of_short_floats
// CHECK: %[[D:.*]] = tile.dot
// CHECK: arith.addf %{{.*}}, %[[D]]
tile.func @sum_of_short_floats(%a: tensor<16x32xf8E4M3FN>, %b: tensor<32x16xf8E4M3FN>, %c: tensor<16x16xf32>)
    -> tensor<16x16xf32> {
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %d = tile.dot %a, %b, %zero : tensor<16x32xf8E4M3FN>, tensor<32x16xf8E4M3FN>, tensor<16x16xf32>
  %s = arith.addf %c, %d : tensor<16x16xf32>
  tile.return %s : tensor<16x16xf32>
}

// The step is a number of programs, so a loop that would count down for a
// negative step counts up.
// CHECK-LABEL: @step_of_programs
// CHECK: %[[STEP:.*]] = arith.muli
// CHECK-NOT: arith.select
// CHECK: scf.for {{.*}} step %[[STEP]]
tile.func @step_of_programs(%start: i32, %end: i32, %init: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %eight = arith.constant 8 : i32
  %n = tile.num_programs x
  %step = arith.muli %n, %eight : i32
  %negative = arith.cmpi slt, %step, %zero : i32
  %minus = arith.subi %zero, %step : i32
  %size = arith.select %negative, %minus, %step : i32
  %low = arith.select %negative, %end, %start : i32
  %r = scf.for %i = %low to %end step %size iter_args(%a = %init) -> i32 : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  tile.return %r : i32
}

// An argument may be negative.
// CHECK-LABEL: @step_of_argument
// CHECK: %[[SIZE:.*]] = arith.select
// CHECK: scf.for {{.*}} step %[[SIZE]]
tile.func @step_of_argument(%start: i32, %end: i32, %step: i32, %init: i32) -> i32 {
  %zero = arith.constant 0 : i32
  %negative = arith.cmpi slt, %step, %zero : i32
  %minus = arith.subi %zero, %step : i32
  %size = arith.select %negative, %minus, %step : i32
  %r = scf.for %i = %start to %end step %size iter_args(%a = %init) -> i32 : i32 {
    %b = arith.addi %a, %i : i32
    scf.yield %b : i32
  }
  tile.return %r : i32
}

// A sign test that is not of a loop's step stays.
// CHECK-LABEL: @own_test
// CHECK: arith.cmpi slt
tile.func @own_test() -> i1 {
  %zero = arith.constant 0 : i32
  %n = tile.num_programs x
  %negative = arith.cmpi slt, %n, %zero : i32
  tile.return %negative : i1
}

// x minus the greatest multiple of y below it is a remainder, whose sign is
// known.

// CHECK-LABEL: @remainder
// CHECK-SAME: %[[X:.*]]: i32, %[[Y:.*]]: i32, %[[Z:.*]]: i32
// CHECK-DAG: %[[A:.*]] = arith.remsi %[[X]], %[[Y]] : i32
// CHECK-DAG: %[[B:.*]] = arith.remsi %[[X]], %[[Y]] : i32
// CHECK: return %[[A]], %[[B]]
tile.func @remainder(%x: i32, %y: i32, %z: i32) -> (i32, i32) {
  %q = arith.divsi %x, %y : i32
  %m = arith.muli %q, %y : i32
  %a = arith.subi %x, %m : i32
  %n = arith.muli %y, %q : i32
  %b = arith.subi %x, %n : i32
  tile.return %a, %b : i32, i32
}

// CHECK-LABEL: @no_remainder
// CHECK-NOT: arith.remsi
tile.func @no_remainder(%x: i32, %y: i32, %z: i32) -> (i32, i32) {
  %q = arith.divsi %x, %y : i32
  %m = arith.muli %q, %z : i32
  %a = arith.subi %x, %m : i32
  %n = arith.muli %q, %y : i32
  %b = arith.subi %z, %n : i32
  tile.return %a, %b : i32, i32
}
