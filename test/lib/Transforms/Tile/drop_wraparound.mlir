// RUN: tilewright-opt %s -split-input-file -tile-drop-wraparound -canonicalize -cse | FileCheck %s

// Elements from past the end stay in their row, which the store leaves out.

// CHECK-LABEL: @rows
// CHECK-SAME: %[[M:[a-z0-9]+]]: i32
// CHECK-NOT: remsi
// CHECK: %[[IS:.*]] = arith.addi
// CHECK: %[[MS:.*]] = tile.splat %[[M]] : i32 -> tensor<16xi32>
// CHECK: %[[IN:.*]] = arith.cmpi slt, %[[IS]], %[[MS]]
// CHECK: %[[LINE:.*]] = tile.expand_dims %[[IN]] {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
// CHECK: %[[MASK:.*]] = tile.broadcast %[[LINE]]
// CHECK: scf.for
// CHECK: tile.load %{{.*}}, %[[MASK]]
// CHECK: tile.store
tile.func @rows(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ms = tile.splat %m : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %is, %ms : tensor<16xi32>
  %ss = tile.splat %s : i32 -> tensor<16xi32>
  %offsets = arith.muli %wrapped, %ss : tensor<16xi32>
  %rows = tile.expand_dims %offsets {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rw = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cw = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %both = arith.addi %rw, %cw : tensor<16x16xi32>
  %bases = tile.splat %a : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %p = tile.addptr %bases, %both : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  %sum:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero, %pk = %p) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %pk : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %x, %ones, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %next = tile.addptr %pk, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>
  }
  %inside = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The first element of the array replaces those past the end.

// CHECK-LABEL: @first_element
// CHECK-NOT: arith.select
// CHECK: %[[IN:.*]] = arith.cmpi slt
// CHECK: %[[LINE:.*]] = tile.expand_dims %[[IN]]
// CHECK: %[[MASK:.*]] = tile.broadcast %[[LINE]]
// CHECK: tile.load %{{.*}}, %[[MASK]]
tile.func @first_element(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ms = tile.splat %m : i32 -> tensor<16xi32>
  %none = arith.constant dense<0> : tensor<16xi32>
  %there = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %wrapped = arith.select %there, %is, %none : tensor<16xi1>, tensor<16xi32>
  %ss = tile.splat %s : i32 -> tensor<16xi32>
  %offsets = arith.muli %wrapped, %ss : tensor<16xi32>
  %rows = tile.expand_dims %offsets {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rw = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cw = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %both = arith.addi %rw, %cw : tensor<16x16xi32>
  %bases = tile.splat %a : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %p = tile.addptr %bases, %both : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  %sum:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero, %pk = %p) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %pk : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %x, %ones, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %next = tile.addptr %pk, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>
  }
  %inside = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Another element than the first may not exist.

// CHECK-LABEL: @another_element
// CHECK: arith.select
tile.func @another_element(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c16 = arith.constant 16 : i32
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ms = tile.splat %m : i32 -> tensor<16xi32>
  %none = arith.constant dense<1> : tensor<16xi32>
  %there = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %wrapped = arith.select %there, %is, %none : tensor<16xi1>, tensor<16xi32>
  %ss = tile.splat %s : i32 -> tensor<16xi32>
  %offsets = arith.muli %wrapped, %ss : tensor<16xi32>
  %rows = tile.expand_dims %offsets {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rw = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x16xi32>
  %cw = tile.broadcast %columns : tensor<1x16xi32> -> tensor<16x16xi32>
  %both = arith.addi %rw, %cw : tensor<16x16xi32>
  %bases = tile.splat %a : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %p = tile.addptr %bases, %both : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %zero = arith.constant dense<0.0> : tensor<16x16xf32>
  %ones = arith.constant dense<1.0> : tensor<16x16xf32>
  %step = arith.constant dense<16> : tensor<16x16xi32>
  %sum:2 = scf.for %k = %c0 to %c4 step %c1 iter_args(%acc = %zero, %pk = %p) -> (tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %pk : tensor<16x16x!tile.ptr<f32>>
    %d = tile.dot %x, %ones, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    %next = tile.addptr %pk, %step : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
    scf.yield %d, %next : tensor<16x16xf32>, tensor<16x16x!tile.ptr<f32>>
  }
  %inside = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
