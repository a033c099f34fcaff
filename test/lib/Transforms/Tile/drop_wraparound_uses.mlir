// RUN: tilewright-opt %s -split-input-file -tile-drop-wraparound -canonicalize -cse | FileCheck %s

// A quotient of the index addresses a second array: past the end neither is
// read.

// CHECK-LABEL: @quotient
// CHECK-NOT: remsi
// CHECK: %[[IN:.*]] = arith.cmpi slt
// CHECK: tile.load %{{.*}}, %[[IN]]
// CHECK: tile.load %{{.*}}, %[[IN]]
// CHECK: tile.store
tile.func @quotient(%a: !tile.ptr<f32>, %b: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c16 = arith.constant 16 : i32
  %eight = arith.constant dense<8> : tensor<16xi32>
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %is, %ns : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %as, %wrapped : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x = tile.load %p : tensor<16x!tile.ptr<f32>>
  %block = arith.divsi %wrapped, %eight : tensor<16xi32>
  %bs = tile.splat %b : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %q = tile.addptr %bs, %block : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %y = tile.load %q : tensor<16x!tile.ptr<f32>>
  %z = arith.mulf %x, %y : tensor<16xf32>
  %inside = arith.cmpi slt, %is, %ns : tensor<16xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %r = tile.addptr %cs, %is : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %r, %z, %inside : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// Accumulators are added to memory. `while` loops carry addresses and data.

// CHECK-LABEL: @atomic
// CHECK-NOT: remsi
// CHECK: %[[IN:.*]] = arith.cmpi slt
// CHECK: scf.while
// CHECK: tile.load %{{.*}}, %[[IN]]
// CHECK: tile.atomic_rmw fadd
tile.func @atomic(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32, %k: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c16 = arith.constant 16 : i32
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %is, %ns : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %as, %wrapped : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %loop:3 = scf.while (%i = %c0, %at = %p, %sum = %zero) : (i32, tensor<16x!tile.ptr<f32>>, tensor<16xf32>)
      -> (i32, tensor<16x!tile.ptr<f32>>, tensor<16xf32>) {
    %more = arith.cmpi slt, %i, %k : i32
    scf.condition(%more) %i, %at, %sum : i32, tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  } do {
  ^bb0(%i: i32, %at: tensor<16x!tile.ptr<f32>>, %sum: tensor<16xf32>):
    %x = tile.load %at : tensor<16x!tile.ptr<f32>>
    %next = arith.addf %sum, %x : tensor<16xf32>
    %further = tile.addptr %at, %ns : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    %count = arith.addi %i, %c1 : i32
    scf.yield %count, %further, %next : i32, tensor<16x!tile.ptr<f32>>, tensor<16xf32>
  }
  %inside = arith.cmpi slt, %is, %ns : tensor<16xi32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %r = tile.addptr %cs, %is : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %old = tile.atomic_rmw fadd relaxed gpu %r, %loop#2, %inside : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// Without the mask, elements that wrapped around would be added.

// CHECK-LABEL: @unmasked
// CHECK: remsi
tile.func @unmasked(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c16 = arith.constant 16 : i32
  %first = arith.muli %pid, %c16 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %firsts = tile.splat %first : i32 -> tensor<16xi32>
  %is = arith.addi %firsts, %range : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %wrapped = arith.remsi %is, %ns : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %as, %wrapped : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x = tile.load %p : tensor<16x!tile.ptr<f32>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %old = tile.atomic_rmw fadd relaxed gpu %cs, %x : tensor<16x!tile.ptr<f32>>
  tile.return
}
