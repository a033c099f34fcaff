// RUN: tilewright-opt %s -split-input-file \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// A loop that may end early: its counter shows how far the pointers have moved,
// and that they never move before the array.

// CHECK-LABEL: @early
// CHECK: scf.while
// CHECK: ^bb0(%[[I:[a-z0-9]+]]: i32,
// CHECK: %[[ROW:.*]] = arith.muli %[[I]], %c64
// CHECK: tile.descriptor_load %{{.*}}[%[[ROW]], %c0
// CHECK-NOT: tile.load
tile.func @early(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %stop: !tile.ptr<i32>, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c64 = arith.constant 64 : i32
  %true = arith.constant true
  %false = arith.constant false
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %step = arith.muli %s, %c64 : i32
  %steps = tile.splat %step : i32 -> tensor<64x64xi32>
  %z:4 = scf.while (%i = %c0, %go = %true, %at = %p, %sum = %zero)
      : (i32, i1, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>)
      -> (i32, i1, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>) {
    %more = scf.if %go -> (i1) {
      %less = arith.cmpi slt, %i, %n : i32
      scf.yield %less : i1
    } else {
      scf.yield %false : i1
    }
    scf.condition(%more) %i, %go, %at, %sum : i32, i1, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>
  } do {
  ^bb0(%i: i32, %go: i1, %at: tensor<64x64x!tile.ptr<f16>>, %sum: tensor<64x64xf32>):
    %flags = tile.addptr %stop, %i : !tile.ptr<i32>, i32
    %flag = tile.load %flags : !tile.ptr<i32>
    %ends = arith.cmpi slt, %flag, %c0 : i32
    %goes = arith.select %ends, %false, %go : i1
    %next:2 = scf.if %ends -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) {
      scf.yield %sum, %at : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    } else {
      %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %x, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %further = tile.addptr %at, %steps : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      scf.yield %d, %further : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    }
    %count = arith.addi %i, %c1 : i32
    scf.yield %count, %goes, %next#1, %next#0 : i32, i1, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z#3 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// An iteration that skips the step of the pointers without ending the loop
// breaks the count.

// CHECK-LABEL: @skips
// CHECK-NOT: tile.descriptor_load
tile.func @skips(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %skip: !tile.ptr<i32>, %n: i32,
    %s: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %ss = tile.splat %s : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %rows, %ss : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %steps = tile.splat %s : i32 -> tensor<64x64xi32>
  %z:3 = scf.while (%i = %c0, %at = %p, %sum = %zero)
      : (i32, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>)
      -> (i32, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>) {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %i, %at, %sum : i32, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>
  } do {
  ^bb0(%i: i32, %at: tensor<64x64x!tile.ptr<f16>>, %sum: tensor<64x64xf32>):
    %flags = tile.addptr %skip, %i : !tile.ptr<i32>, i32
    %flag = tile.load %flags : !tile.ptr<i32>
    %skips = arith.cmpi slt, %flag, %c0 : i32
    %next:2 = scf.if %skips -> (tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>) {
      scf.yield %sum, %at : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    } else {
      %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
      %d = tile.dot %x, %x, %sum : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      %further = tile.addptr %at, %steps : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      scf.yield %d, %further : tensor<64x64xf32>, tensor<64x64x!tile.ptr<f16>>
    }
    %count = arith.addi %i, %c1 : i32
    scf.yield %count, %next#1, %next#0 : i32, tensor<64x64x!tile.ptr<f16>>, tensor<64x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %z#2 : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// An offset of 64 elements advances columns if the mask says so, even if a row
// is as long.

// CHECK-LABEL: @column
// CHECK: %[[FIRST:.*]] = arith.muli %{{.*}}, %c64_i32
// CHECK: tile.descriptor_load %{{.*}}[%c0{{.*}}, %[[FIRST]]]
tile.func @column(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %first = arith.muli %pid, %c64 : i32
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %js = arith.addi %firsts, %range : tensor<64xi32>
  %columns = tile.expand_dims %js {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %length = arith.constant dense<64> : tensor<64x1xi32>
  %offsets = arith.muli %rows, %length : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %limit = arith.constant dense<64> : tensor<1x64xi32>
  %there = arith.cmpi slt, %columns, %limit : tensor<1x64xi32>
  %mask = tile.broadcast %there : tensor<1x64xi1> -> tensor<64x64xi1>
  %x = tile.load %p, %mask : tensor<64x64x!tile.ptr<f16>>
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
