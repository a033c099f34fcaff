// RUN: tilewright-opt %s -split-input-file -tile-drop-wraparound -canonicalize -cse | FileCheck %s

// Elements from past the end must keep their values: the remainder stays.

// All rows are stored.
// CHECK-LABEL: @stored
// CHECK: arith.remsi
tile.func @stored(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  tile.store %q, %sum#0 : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The store has another bound.
// CHECK-LABEL: @other_bound
// CHECK: arith.remsi
tile.func @other_bound(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %inside = arith.cmpi slt, %is, %ss : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The store compares another index.
// CHECK-LABEL: @other_index
// CHECK: arith.remsi
tile.func @other_index(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %inside = arith.cmpi slt, %range, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The bound is one of the columns.
// CHECK-LABEL: @columns
// CHECK: arith.remsi
tile.func @columns(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %line = tile.expand_dims %inside {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
  %mask = tile.broadcast %line : tensor<1x16xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Rows of the right operand are summed.
// CHECK-LABEL: @right_operand
// CHECK: arith.remsi
tile.func @right_operand(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
    %d = tile.dot %ones, %x, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
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

// Rows become columns before the store.
// CHECK-LABEL: @transposed
// CHECK: arith.remsi
tile.func @transposed(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %t = tile.transpose %sum#0 {order = array<i32: 1, 0>} : tensor<16x16xf32> -> tensor<16x16xf32>
  tile.store %q, %t, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Rows are summed.
// CHECK-LABEL: @summed
// CHECK: arith.remsi
tile.func @summed(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %total = "tile.reduce"(%sum#0) <{axis = 0 : i32}> ({
  ^bb0(%u: f32, %v: f32):
    %w = arith.addf %u, %v : f32
    "tile.yield"(%w) : (f32) -> ()
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  tile.store %cs, %total : tensor<16x!tile.ptr<f32>>
  %inside = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The index itself is stored.
// CHECK-LABEL: @index_stored
// CHECK: arith.remsi
tile.func @index_stored(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %m: i32, %s: i32) attributes {tile.kernel} {
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
  %ci = tile.splat %c : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %fi = arith.sitofp %wrapped : tensor<16xi32> to tensor<16xf32>
  tile.store %ci, %fi : tensor<16x!tile.ptr<f32>>
  %inside = arith.cmpi slt, %is, %ms : tensor<16xi32>
  %line = tile.expand_dims %inside {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %line : tensor<16x1xi1> -> tensor<16x16xi1>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %q, %sum#0, %mask : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
