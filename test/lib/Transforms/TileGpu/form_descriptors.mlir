// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Rows start at 64 * program_id, columns at 0. The mask limits both.

// CHECK-LABEL: @masked
// CHECK-SAME: %[[A:.*]]: !tile.ptr<f16> {{.*}}, %[[M:[a-z0-9]+]]: i32, %[[N:[a-z0-9]+]]: i32, %[[S:[a-z0-9]+]]: i32
// CHECK-DAG: %[[M64:.*]] = arith.extsi %[[M]]
// CHECK-DAG: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK-DAG: %[[S64:.*]] = arith.extsi %[[S]]
// CHECK: %[[D:.*]] = tile.make_descriptor %[[A]], [%[[M64]], %[[N64]]], [%[[S64]]] : !tile.desc<64x64xf16>
// CHECK: %[[I:.*]] = arith.muli %{{.*}}, %c64
// CHECK: tile.descriptor_load %[[D]][%[[I]], %c0
// CHECK-NOT: tile.load
tile.func @masked(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Rows of a constant length: the start is counted in rows, even if the first row is the product of an argument and a
// constant.

// CHECK-LABEL: @constant_stride
// CHECK-SAME: %[[A:.*]]: !tile.ptr<f16> {{.*}}, %{{.*}}: !tile.ptr<f32>, %[[T:[a-z0-9]+]]: i32
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: %[[D:.*]] = tile.make_descriptor %[[A]], [%{{.*}}, %{{.*}}], [%c64_i64] : !tile.desc<64x64xf16>
// CHECK: %[[HEAD:.*]] = arith.muli %{{.*}}, %[[T]]
// CHECK: %[[ROW:.*]] = arith.addi %[[HEAD]], %[[K]]
// CHECK: tile.descriptor_load %[[D]][%[[ROW]], %c0
tile.func @constant_stride(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>,
    %t: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %head = arith.muli %pid, %t : i32
  %z = scf.for %k = %c0 to %t step %c64 iter_args(%sum = %zero) -> (tensor<64x64xf32>) : i32 {
    %first = arith.addi %head, %k : i32
    %firsts = tile.splat %first : i32 -> tensor<64xi32>
    %is = arith.addi %firsts, %range : tensor<64xi32>
    %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %lengths = tile.splat %c64 : i32 -> tensor<64x1xi32>
    %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
    %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
    %at = arith.addi %starts, %all : tensor<64x64xi32>
    %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
    %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %y = tile.dot %x, %x, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %y : tensor<64x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A stack of matrices, whose distance is the product of their dimensions. The mask ends the rows of each matrix.

// CHECK-LABEL: @stack
// CHECK-SAME: %[[A:.*]]: !tile.ptr<f16> {{.*}}, %{{.*}}: !tile.ptr<f32>, %[[T:[a-z0-9]+]]: i32
// CHECK: %[[WHICH:.*]] = tile.program_id y
// CHECK-DAG: %[[SIZE:.*]] = arith.extsi %[[T]]
// CHECK-DAG: %[[APART:.*]] = arith.muli %[[SIZE]], %c64_i64
// CHECK: %[[D:.*]] = tile.make_descriptor %[[A]], [%{{.*}}, %[[SIZE]], %{{.*}}], [%[[APART]], %c64_i64] : !tile.desc<1x64x64xf16>
// CHECK: tile.descriptor_load %[[D]][%[[WHICH]], %{{.*}}, %c0
tile.func @stack(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>,
    %t: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %which = tile.program_id y
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %before = arith.muli %which, %t : i32
  %elements = arith.muli %before, %c64 : i32
  %matrix = tile.addptr %a, %elements : !tile.ptr<f16>, i32
  %first = arith.muli %pid, %c64 : i32
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %lengths = tile.splat %c64 : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
  %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %starts, %all : tensor<64x64xi32>
  %bases = tile.splat %matrix : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ts = tile.splat %t : i32 -> tensor<64x1xi32>
  %inside = arith.cmpi slt, %rows, %ts : tensor<64x1xi32>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
  %none = arith.constant dense<0.0> : tensor<64x64xf16>
  %x = tile.load %p, %mask, %none : tensor<64x64x!tile.ptr<f16>>
  %y = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Without a mask there is no limit.

// CHECK-LABEL: @open
// CHECK: %[[MOST:.*]] = arith.constant 2147483647 : i64
// CHECK: tile.make_descriptor %{{.*}}, [%[[MOST]], %[[MOST]]]
tile.func @open(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A loop advances the pointers, and the mask moves the other way.

// CHECK-LABEL: @carried
// CHECK: scf.for %[[K:[a-z0-9]+]] =
// CHECK: tile.descriptor_load %{{.*}}[%{{.*}}, %[[K]]]
// CHECK-NOT: tile.load
tile.func @carried(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
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
  %c0 = arith.constant 0 : i32
  %zero0 = arith.constant dense<0.0> : tensor<64x64xf32>
  %step = tile.splat %c64 : i32 -> tensor<64x64xi32>
  %z:2 = scf.for %k = %c0 to %n step %c64 iter_args(%acc = %zero0, %pk = %p) -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) : i32 {
    %left = arith.subi %n, %k : i32
    %lefts = tile.splat %left : i32 -> tensor<1x64xi32>
    %hi = arith.cmpi slt, %columns, %lefts : tensor<1x64xi32>
    %mask = tile.broadcast %hi : tensor<1x64xi1> -> tensor<64x64xi1>
    %x = tile.load %pk, %mask : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = tile.addptr %pk, %step : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    scf.yield %d, %next : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z#0 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The offset of a batch is a dimension of its own.

// CHECK-LABEL: @batch
// CHECK: %[[Y:.*]] = tile.program_id y
// CHECK: tile.make_descriptor %{{.*}}, [%{{.*}}, %{{.*}}, %{{.*}}], [%{{.*}}, %{{.*}}] : !tile.desc<1x64x64xf16>
// CHECK: %[[B:.*]] = tile.descriptor_load %{{.*}}[%[[Y]], %{{.*}}, %c0
// CHECK: tile.reshape %[[B]] : tensor<1x64x64xf16> -> tensor<64x64xf16>
tile.func @batch(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}, %b: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %y = tile.program_id y
  %shift = arith.muli %y, %b : i32
  %at = tile.addptr %a, %shift : !tile.ptr<f16>, i32
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %at : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
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
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The contiguous dimension is the last of the array: the tile is transposed.

// CHECK-LABEL: @columns
// CHECK: %[[B:.*]] = tile.descriptor_load %{{.*}}[%c0{{.*}}, %{{.*}}]
// CHECK: tile.transpose %[[B]] {order = array<i32: 1, 0>}
tile.func @columns(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %m: i32, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %first = arith.muli %pid, %c64 : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<1x64xi32>
  %offsets = arith.muli %columns, %ss : tensor<1x64xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<1x64x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
  %wide = tile.broadcast %starts : tensor<1x64x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The page number from a table is a coordinate of the array.

// CHECK-LABEL: @page
// CHECK: %[[PAGE:.*]] = tile.load
// CHECK: %[[ROW:.*]] = arith.muli %[[PAGE]], %c64
// CHECK: tile.descriptor_load %{{.*}}[%[[ROW]], %c0
tile.func @page(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32,
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
  %mask = arith.andi %his, %his : tensor<64x64xi1>
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %z = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %z : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
