// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Loads that keep their pointers, with a remark that says why.

// CHECK-LABEL: @volatile
// CHECK-NOT: tile.make_descriptor
tile.func @volatile(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  // expected-remark@+1 {{not a block of an array: it is volatile}}
  %x = tile.load %p volatile : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @other
// CHECK-NOT: tile.make_descriptor
tile.func @other(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %mask = arith.andi %los, %his : tensor<64x64xi1>
  %one = arith.constant dense<1.0> : tensor<64x64xf16>
  // expected-remark@+1 {{not a block of an array: masked-off elements are not zero}}
  %x = tile.load %p, %mask, %one : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @front
// CHECK-NOT: tile.make_descriptor
tile.func @front(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %f0 = arith.muli %pid, %c64 : i32
  %c1 = arith.constant 1 : i32
  %first = arith.subi %f0, %c1 : i32
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
  // expected-remark@+1 {{not a block of an array: it may start before the array}}
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @two_strides
// CHECK-NOT: tile.make_descriptor
tile.func @two_strides(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %twice = arith.addi %all, %all : tensor<64x64xi32>
  %p = tile.addptr %wide, %twice : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @squares
// CHECK-NOT: tile.make_descriptor
tile.func @squares(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %offsets = arith.muli %rows, %rows : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: its addresses are not affine in the indices}}
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @wraps
// CHECK-NOT: tile.make_descriptor
tile.func @wraps(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %mm = tile.splat %m : i32 -> tensor<64xi32>
  %wrapped = arith.remsi %is, %mm : tensor<64xi32>
  %rows = tile.expand_dims %wrapped {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: its addresses are not affine in the indices}}
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @repeated
// CHECK-NOT: tile.make_descriptor
tile.func @repeated(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %offsets = arith.constant dense<0> : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: it reads the same elements several times}}
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// CHECK-LABEL: @scaled_index
// CHECK-NOT: tile.make_descriptor
tile.func @scaled_index(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %tw = arith.addi %rows, %rows : tensor<64x1xi32>
  %lo = arith.cmpi slt, %tw, %ms : tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<1x64xi32>
  %hi = arith.cmpi slt, %columns, %ns : tensor<1x64xi32>
  %los = tile.broadcast %lo : tensor<64x1xi1> -> tensor<64x64xi1>
  %his = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
  %mask = arith.andi %los, %his : tensor<64x64xi1>
  // expected-remark@+1 {{not a block of an array: its mask compares no index}}
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Whether there is another iteration depends on the accumulators, so nothing could be prefetched.

// CHECK-LABEL: @until_large
tile.func @until_large(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32, %most: f32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %none = arith.constant 0.0 : f32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %z:3 = scf.while (%i = %c0, %sum = %zero, %size = %none) : (i32, tensor<64x64xf32>, f32) -> (i32, tensor<64x64xf32>, f32) {
    %small = arith.cmpf olt, %size, %most : f32
    scf.condition(%small) %i, %sum, %size : i32, tensor<64x64xf32>, f32
  } do {
  ^bb0(%i: i32, %sum: tensor<64x64xf32>, %size: f32):
    %first = arith.muli %i, %c64 : i32
    %firsts = tile.splat %first : i32 -> tensor<64xi32>
    %is = arith.addi %firsts, %range : tensor<64xi32>
    %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
    %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
    %at = arith.addi %starts, %all : tensor<64x64xi32>
    %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %line = tile.reshape %d : tensor<64x64xf32> -> tensor<4096xf32>
    // expected-remark@+1 {{not copied by the tensor memory accelerator: a load or its address depends on a reduction of a tile}}
    %largest = "tile.reduce"(%line) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.maximumf %l, %r : f32
      tile.yield %m : f32
    }) : (tensor<4096xf32>) -> f32
    %count = arith.addi %i, %c1 : i32
    scf.yield %count, %d, %largest : i32, tensor<64x64xf32>, f32
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z#1 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// One program without a loop: a tensor map would cost its launch more than one copy saves.

// CHECK-LABEL: @once
// CHECK-NOT: tile.make_descriptor
tile.func @once(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %length = arith.constant dense<64> : tensor<64x1xi32>
  %offsets = arith.muli %rows, %length : tensor<64x1xi32>
  %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %starts, %all : tensor<64x64xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  // expected-remark@+1 {{its operands are loaded by threads: there is one program, which loads each block once}}
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
