// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Masks that are not the ends of an array, with a remark that says why.

// CHECK-LABEL: @lower_bound
// CHECK-NOT: tile.make_descriptor
tile.func @lower_bound(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %lo = arith.cmpi sgt, %rows, %ms : tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %hi = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %los = tile.broadcast %lo : tensor<64x1xi1> -> tensor<64x64xi1>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %los, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask has a lower bound of an index}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @disjunction
// CHECK-NOT: tile.make_descriptor
tile.func @disjunction(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %lo = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %hi = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %los = tile.broadcast %lo : tensor<64x1xi1> -> tensor<64x64xi1>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.ori %los, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask is not a conjunction of index bounds}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @two_bounds
// CHECK-NOT: tile.make_descriptor
tile.func @two_bounds(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %lo = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %h0 = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %ts = tile.splat %s : i32 -> tensor<1x64xi32>
  %h1 = arith.cmpi slt, %columns, %ts : tensor<1x64xi32>
  %hi = arith.andi %h0, %h1 : tensor<1x64xi1>
  %los = tile.broadcast %lo : tensor<64x1xi1> -> tensor<64x64xi1>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %los, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask has two bounds for one index}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @triangle
// CHECK-NOT: tile.make_descriptor
tile.func @triangle(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %al = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %mask = arith.cmpi slt, %al, %all : tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: its mask is not a conjunction of index bounds}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @moving_bound
// CHECK-NOT: tile.make_descriptor
tile.func @moving_bound(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ms = tile.splat %pid : i32 -> tensor<64x1xi32>
  %lo = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %hi = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %los = tile.broadcast %lo : tensor<64x1xi1> -> tensor<64x64xi1>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %los, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask does not compare the index with an argument}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The mask also tests a number from memory; the test stays.
tile.func @asked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}, %table: !tile.ptr<i32>) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %entry = tile.addptr %table, %pid : !tile.ptr<i32>, i32
  %page = tile.load %entry : !tile.ptr<i32>
  %first = arith.muli %page, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %hi = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %is_page = arith.cmpi sge, %page, %c0 : i32
  %pages = tile.splat %is_page : i1 -> tensor<64x64xi1>
  %mask = arith.andi %pages, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask is not a conjunction of index bounds}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
