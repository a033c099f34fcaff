// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Where blocks start: not before the array. If 32 bits do not prove that, the start is past the end or in the next
// array of a stack.

// An argument from which a coordinate is computed, and which a mask bounds, is assumed not to be negative. If it is
// negative, the size is one that no tensor map has.

// CHECK-LABEL: @first_row
// CHECK-SAME: %[[A:.*]]: !tile.ptr<f16> {{.*}}, %{{.*}}: !tile.ptr<f32>, %[[FIRST:[a-z0-9]+]]: i32, %[[M:[a-z0-9]+]]: i32
// CHECK-DAG: %[[M64:.*]] = arith.extsi %[[M]]
// CHECK-DAG: %[[FIRST64:.*]] = arith.extsi %[[FIRST]]
// CHECK: %[[LESS:.*]] = arith.minsi %[[FIRST64]], %c0_i64
// CHECK: %[[ONE:.*]] = arith.maxsi %[[LESS]], %c-1_i64
// CHECK: %[[FAR:.*]] = arith.muli %[[ONE]], %c1099511627776_i64
// CHECK: %[[SIZE:.*]] = arith.subi %[[M64]], %[[FAR]]
// CHECK: tile.make_descriptor %[[A]], [%[[SIZE]], %{{.*}}]
tile.func @first_row(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %first: i32, %m: i32)
    attributes {tile.kernel} {
  %pid = tile.program_id x
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %lengths = arith.constant dense<64> : tensor<64x1xi32>
  %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
  %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %starts, %all : tensor<64x64xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %inside = arith.cmpi slt, %rows, %ms : tensor<64x1xi32>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %y = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// An element that is far from the last one along a dimension is in the next array of a stack. The 2^31 coordinates of
// a dimension may be too few for it.

// CHECK-LABEL: @far
// CHECK: %[[PID:.*]] = tile.program_id x
// CHECK: tile.make_descriptor %{{.*}}, [%[[ALL:.*]], %[[ALL]], %[[ALL]]], [%c1073741824_i64, %c128_i64]
// CHECK: tile.descriptor_load %{{.*}}[%[[PID]], %c0_i32, %c0_i32] : !tile.desc<1x64x64xf16>
tile.func @far(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id x
  %wide = arith.extsi %pid : i32 to i64
  %apart = arith.constant 1073741824 : i64
  %elements = arith.muli %wide, %apart : i64
  %start = tile.addptr %a, %elements : !tile.ptr<f16>, i64
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %lengths = arith.constant dense<128> : tensor<64x1xi32>
  %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
  %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %starts, %all : tensor<64x64xi32>
  %bases = tile.splat %start : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %y = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A coordinate that is compared in 64 bits is computed in 64 bits. Those beyond 32 bits are past the array, which may
// be shorter.

// CHECK-LABEL: @wide
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32)
// CHECK-DAG: %[[PID:.*]] = tile.program_id x
// CHECK-DAG: %[[N64:.*]] = arith.extsi %[[N]]
// CHECK: %[[ROOM:.*]] = arith.subi %c2146435072_i64, %[[N64]]
// CHECK: arith.minsi %[[ROOM]], %c0_i64
// CHECK: %[[WIDE:.*]] = arith.muli %{{.*}}, %c64_i64
// CHECK: %[[NEAR:.*]] = arith.minsi %[[WIDE]], %c2146435072_i64
// CHECK: %[[COORD:.*]] = arith.trunci %[[NEAR]]
// CHECK: tile.descriptor_load %{{.*}}[%[[COORD]], %c0_i32]
tile.func @wide(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id x
  %wide = arith.extsi %pid : i32 to i64
  %length = arith.constant 64 : i64
  %first = arith.muli %wide, %length : i64
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %all64 = arith.extsi %all : tensor<64x64xi32> to tensor<64x64xi64>
  %range64 = arith.extsi %range : tensor<64xi32> to tensor<64xi64>
  %firsts = tile.splat %first : i64 -> tensor<64xi64>
  %is = arith.addi %firsts, %range64 : tensor<64xi64>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
  %lengths = arith.constant dense<64> : tensor<64x1xi64>
  %offsets = arith.muli %rows, %lengths : tensor<64x1xi64>
  %starts = tile.broadcast %offsets : tensor<64x1xi64> -> tensor<64x64xi64>
  %at = arith.addi %starts, %all64 : tensor<64x64xi64>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi64>
  %n64 = arith.extsi %n : i32 to i64
  %ns = tile.splat %n64 : i64 -> tensor<64x1xi64>
  %inside = arith.cmpi slt, %rows, %ns : tensor<64x1xi64>
  %mask = tile.broadcast %inside : tensor<64x1xi1> -> tensor<64x64xi1>
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %y = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A quotient by an argument has the sign of the argument.

// CHECK-LABEL: @quotient
// CHECK-SAME: %[[S:[a-z0-9]+]]: i32)
// CHECK: %[[S64:.*]] = arith.extsi %[[S]]
// CHECK: arith.minsi %[[S64]], %c0_i64
tile.func @quotient(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %s: i32)
    attributes {tile.kernel} {
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id x
  %first = arith.divsi %pid, %s : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %range : tensor<64xi32>
  %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %lengths = arith.constant dense<64> : tensor<64x1xi32>
  %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
  %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
  %at = arith.addi %starts, %all : tensor<64x64xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %bases, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %y = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %q, %y : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A coordinate that a loop advances by loaded values leads into the array, as a loaded one does.

// CHECK-LABEL: @moved_by_memory
// CHECK: scf.for
// CHECK: tile.descriptor_load
// CHECK: tile.dot
tile.func @moved_by_memory(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %list: !tile.ptr<i32>, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %back = arith.constant -64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %lengths = arith.constant dense<64> : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32>, i32) : i32 {
    %firsts = tile.splat %at : i32 -> tensor<64xi32>
    %is = arith.addi %firsts, %range : tensor<64xi32>
    %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
    %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
    %all_offsets = arith.addi %starts, %all : tensor<64x64xi32>
    %p = tile.addptr %bases, %all_offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %q = tile.addptr %list, %i : !tile.ptr<i32>, i32
    %step = tile.load %q : !tile.ptr<i32>
    %less = arith.addi %step, %back : i32
    %next = arith.addi %at, %less : i32
    scf.yield %y, %next : tensor<64x64xf32>, i32
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: no dimension is known to be contiguous}}
  tile.store %out, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// One that the loop moves back by a constant may lead to before the array.

// CHECK-LABEL: @moved_back
// CHECK-NOT: tile.descriptor_load
// CHECK: tile.return
tile.func @moved_back(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32)
    attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %back = arith.constant -64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %lengths = arith.constant dense<64> : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %sum:2 = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero, %at = %c0) -> (tensor<64x64xf32>, i32) : i32 {
    %firsts = tile.splat %at : i32 -> tensor<64xi32>
    %is = arith.addi %firsts, %range : tensor<64xi32>
    %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %offsets = arith.muli %rows, %lengths : tensor<64x1xi32>
    %starts = tile.broadcast %offsets : tensor<64x1xi32> -> tensor<64x64xi32>
    %all_offsets = arith.addi %starts, %all : tensor<64x64xi32>
    %p = tile.addptr %bases, %all_offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    // expected-remark@+1 {{it may start before the array}}
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %next = arith.addi %at, %back : i32
    scf.yield %y, %next : tensor<64x64xf32>, i32
  }
  %out = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %out, %sum#0 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
