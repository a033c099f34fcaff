// RUN: tilewright-opt %s -split-input-file -tile-narrow-loads -canonicalize -cse | FileCheck %s

// One scale serves 128 neighbours. The first is inside if any is. Masked-off elements stay the same.

// CHECK-LABEL: @quotient
// CHECK: %[[M:.*]] = arith.cmpi slt, %{{.*}} : tensor<1xi32>
// CHECK: %[[X:.*]] = tile.load %{{.*}}, %[[M]], %{{.*}} : tensor<1x!tile.ptr<f32>>
// CHECK: %[[ALL:.*]] = tile.broadcast %[[X]] : tensor<1xf32> -> tensor<128xf32>
// CHECK: arith.select %{{.*}}, %[[ALL]], %{{.*}} : tensor<128xi1>, tensor<128xf32>
tile.func @quotient(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %c128 = arith.constant 128 : i32
  %group = arith.constant dense<256> : tensor<128xi32>
  %one = arith.constant dense<1.0> : tensor<128xf32>
  %first = arith.muli %pid, %c128 : i32
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %firsts = tile.splat %first : i32 -> tensor<128xi32>
  %is = arith.addi %firsts, %range : tensor<128xi32>
  %block = arith.divsi %is, %group : tensor<128xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %as, %block : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %ns = tile.splat %n : i32 -> tensor<128xi32>
  %inside = arith.cmpi slt, %is, %ns : tensor<128xi32>
  %x = tile.load %p, %inside, %one : tensor<128x!tile.ptr<f32>>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %q = tile.addptr %cs, %is : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  tile.store %q, %x : tensor<128x!tile.ptr<f32>>
  tile.return
}

// -----

// A row of pointers that is repeated is loaded once.

// CHECK-LABEL: @repeated
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<1x16x!tile.ptr<f32>>
// CHECK: tile.broadcast %[[X]] : tensor<1x16xf32> -> tensor<8x16xf32>
tile.func @repeated(%a: !tile.ptr<f32>, %c: tensor<8x16x!tile.ptr<f32>>) {
  %range = tile.range {start = 4 : i32, end = 20 : i32} : tensor<16xi32>
  %row = tile.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<1x16x!tile.ptr<f32>>
  %p = tile.addptr %as, %row : tensor<1x16x!tile.ptr<f32>>, tensor<1x16xi32>
  %all = tile.broadcast %p : tensor<1x16x!tile.ptr<f32>> -> tensor<8x16x!tile.ptr<f32>>
  %x = tile.load %all : tensor<8x16x!tile.ptr<f32>>
  tile.store %c, %x : tensor<8x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The first row of each of two groups.

// CHECK-LABEL: @two_groups
// CHECK: %[[TWO:.*]] = tile.range {end = 2 : i32, start = 0 : i32} : tensor<2xi32>
// CHECK: arith.muli %[[TWO]], %cst
// CHECK: %[[X:.*]] = tile.load %{{.*}} : tensor<2x4x!tile.ptr<f32>>
// CHECK: %[[EACH:.*]] = tile.expand_dims %[[X]] {axis = 1 : i32} : tensor<2x4xf32> -> tensor<2x1x4xf32>
// CHECK: %[[ALL:.*]] = tile.broadcast %[[EACH]] : tensor<2x1x4xf32> -> tensor<2x8x4xf32>
// CHECK: tile.reshape %[[ALL]] : tensor<2x8x4xf32> -> tensor<16x4xf32>
tile.func @two_groups(%a: !tile.ptr<f32>, %c: tensor<16x4x!tile.ptr<f32>>) {
  %group = arith.constant dense<8> : tensor<16xi32>
  %length = arith.constant dense<4> : tensor<16x1xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %block = arith.divsi %range, %group : tensor<16xi32>
  %row = tile.expand_dims %block {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %starts = arith.muli %row, %length : tensor<16x1xi32>
  %four = tile.range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %column = tile.expand_dims %four {axis = 0 : i32} : tensor<4xi32> -> tensor<1x4xi32>
  %rows = tile.broadcast %starts : tensor<16x1xi32> -> tensor<16x4xi32>
  %columns = tile.broadcast %column : tensor<1x4xi32> -> tensor<16x4xi32>
  %at = arith.addi %rows, %columns : tensor<16x4xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x4x!tile.ptr<f32>>
  %p = tile.addptr %as, %at : tensor<16x4x!tile.ptr<f32>>, tensor<16x4xi32>
  %x = tile.load %p : tensor<16x4x!tile.ptr<f32>>
  tile.store %c, %x : tensor<16x4x!tile.ptr<f32>>
  tile.return
}

// -----

// A tile of rank 1 is left alone unless all its elements are equal.

// CHECK-LABEL: @line
// CHECK: tile.load %{{.*}} : tensor<16x!tile.ptr<f32>>
tile.func @line(%a: !tile.ptr<f32>, %c: tensor<16x!tile.ptr<f32>>) {
  %group = arith.constant dense<8> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %block = arith.divsi %range, %group : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %as, %block : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %x = tile.load %p : tensor<16x!tile.ptr<f32>>
  tile.store %c, %x : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// Negative quotients are rounded up: the first of 128 may differ.

// CHECK-LABEL: @any_sign
// CHECK: tile.load %{{.*}} : tensor<128x!tile.ptr<f32>>
tile.func @any_sign(%a: !tile.ptr<f32>, %c: tensor<128x!tile.ptr<f32>>, %table: !tile.ptr<i32>) {
  %k = tile.load %table : !tile.ptr<i32>
  %c128 = arith.constant 128 : i32
  %group = arith.constant dense<128> : tensor<128xi32>
  %first = arith.muli %k, %c128 : i32
  %range = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %firsts = tile.splat %first : i32 -> tensor<128xi32>
  %is = arith.addi %firsts, %range : tensor<128xi32>
  %block = arith.divsi %is, %group : tensor<128xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  %p = tile.addptr %as, %block : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
  %x = tile.load %p : tensor<128x!tile.ptr<f32>>
  tile.store %c, %x : tensor<128x!tile.ptr<f32>>
  tile.return
}

// -----

// The first index may be outside where others are inside.

// CHECK-LABEL: @lower_bound
// CHECK: tile.load %{{.*}} : tensor<16x!tile.ptr<f32>>
tile.func @lower_bound(%a: !tile.ptr<f32>, %c: tensor<16x!tile.ptr<f32>>, %n: i32) {
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %inside = arith.cmpi sge, %range, %ns : tensor<16xi32>
  %p = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %x = tile.load %p, %inside : tensor<16x!tile.ptr<f32>>
  tile.store %c, %x : tensor<16x!tile.ptr<f32>>
  tile.return
}

// -----

// A loop advances the pointers: the counter says how far.

// CHECK-LABEL: @carried
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[COUNT:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[MOVED:.*]] = arith.muli %[[COUNT]]
// CHECK: %[[BY:.*]] = tile.splat %[[MOVED]] : i64 -> tensor<1xi64>
// CHECK: %[[P:.*]] = tile.addptr %{{.*}}, %[[BY]] : tensor<1x!tile.ptr<f32>>, tensor<1xi64>
// CHECK: tile.load %[[P]] : tensor<1x!tile.ptr<f32>>
tile.func @carried(%a: !tile.ptr<f32>, %c: tensor<16x!tile.ptr<f32>>, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %eight = arith.constant dense<16> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %block = arith.divsi %range, %eight : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %p = tile.addptr %as, %block : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %steps = tile.splat %s : i32 -> tensor<16xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%at = %p) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %at : tensor<16x!tile.ptr<f32>>
    tile.store %c, %x : tensor<16x!tile.ptr<f32>>
    %next = tile.addptr %at, %steps : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// A loop advances the indices of a mask: they wrap around as they do in the loop.

// CHECK-LABEL: @carried_indices
// CHECK: scf.for %[[I:[a-z0-9]+]] =
// CHECK: %[[COUNT:.*]] = arith.extsi %[[I]] : i32 to i64
// CHECK: %[[MOVED:.*]] = arith.muli %[[COUNT]]
// CHECK: %[[BY:.*]] = arith.trunci %[[MOVED]] : i64 to i32
// CHECK: %[[BYS:.*]] = tile.splat %[[BY]] : i32 -> tensor<1xi32>
// CHECK: %[[INSIDE:.*]] = arith.cmpi slt, %[[BYS]]
// CHECK: tile.load %{{.*}}, %[[INSIDE]] : tensor<1x!tile.ptr<f32>>
tile.func @carried_indices(%a: !tile.ptr<f32>, %c: tensor<16x!tile.ptr<f32>>, %n: i32, %s: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %steps = tile.splat %s : i32 -> tensor<16xi32>
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%k = %range) -> (tensor<16xi32>) : i32 {
    %inside = arith.cmpi slt, %k, %ns : tensor<16xi32>
    %x = tile.load %as, %inside : tensor<16x!tile.ptr<f32>>
    tile.store %c, %x : tensor<16x!tile.ptr<f32>>
    %next = arith.addi %steps, %k : tensor<16xi32>
    scf.yield %next : tensor<16xi32>
  }
  tile.return
}

// -----

// A loop may count from below zero to above half of its type, and unsigned.

// CHECK-LABEL: @far
// CHECK: scf.for unsigned %[[I:[a-z0-9]+]] = %[[L:[a-z0-9]+]] to
// CHECK: %[[AT:.*]] = arith.extui %[[I]] : i32 to i64
// CHECK: %[[FROM:.*]] = arith.extui %[[L]] : i32 to i64
// CHECK: %[[PASSED:.*]] = arith.subi %[[AT]], %[[FROM]] : i64
// CHECK: %[[STEP:.*]] = arith.extui %{{.*}} : i32 to i64
// CHECK: %[[COUNT:.*]] = arith.divui %[[PASSED]], %[[STEP]] : i64
// CHECK: %[[MOVED:.*]] = arith.muli %[[COUNT]]
tile.func @far(%a: !tile.ptr<f32>, %c: tensor<16x!tile.ptr<f32>>, %l: i32, %n: i32, %by: i32, %s: i32) {
  %as = tile.splat %a : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %steps = tile.splat %s : i32 -> tensor<16xi32>
  %last = scf.for unsigned %i = %l to %n step %by iter_args(%at = %as) -> (tensor<16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %at : tensor<16x!tile.ptr<f32>>
    tile.store %c, %x : tensor<16x!tile.ptr<f32>>
    %next = tile.addptr %at, %steps : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next : tensor<16x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// That an index is divided does not prove that it counts from zero. A mask bound on it does.

// CHECK-LABEL: @begins_anywhere
// CHECK: tile.load %{{.*}} : tensor<4x16x!tile.ptr<f32>>
// CHECK: tile.load %{{.*}} : tensor<4x2x!tile.ptr<f32>>
tile.func @begins_anywhere(%a: tensor<4x16x!tile.ptr<f32>>, %c: tensor<4x16x!tile.ptr<f32>>, %first: i32, %n: i32, %base: !tile.ptr<f32>) {
  %c16 = arith.constant 16 : i32
  %eight = arith.constant dense<8> : tensor<1x16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %row = tile.expand_dims %range {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<4x16x!tile.ptr<f32>>
  %by = arith.muli %first, %c16 : i32
  %bys = tile.splat %by : i32 -> tensor<1x16xi32>
  %at = arith.addi %bys, %row : tensor<1x16xi32>
  %eighth = arith.divsi %at, %eight : tensor<1x16xi32>
  %all = tile.broadcast %eighth : tensor<1x16xi32> -> tensor<4x16xi32>
  %p = tile.addptr %bases, %all : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xi32>
  %columns = tile.range {start = 0 : i32, end = 4 : i32} : tensor<4xi32>
  %column = tile.expand_dims %columns {axis = 1 : i32} : tensor<4xi32> -> tensor<4x1xi32>
  %own = tile.broadcast %column : tensor<4x1xi32> -> tensor<4x16xi32>
  %pp = tile.addptr %p, %own : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xi32>
  %x = tile.load %pp : tensor<4x16x!tile.ptr<f32>>
  tile.store %c, %x : tensor<4x16x!tile.ptr<f32>>
  %nby = arith.muli %n, %c16 : i32
  %nbys = tile.splat %nby : i32 -> tensor<1x16xi32>
  %nat = arith.addi %nbys, %row : tensor<1x16xi32>
  %neighth = arith.divsi %nat, %eight : tensor<1x16xi32>
  %nall = tile.broadcast %neighth : tensor<1x16xi32> -> tensor<4x16xi32>
  %q = tile.addptr %bases, %nall : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xi32>
  %qq = tile.addptr %q, %own : tensor<4x16x!tile.ptr<f32>>, tensor<4x16xi32>
  %ns = tile.splat %n : i32 -> tensor<4x1xi32>
  %below = arith.cmpi slt, %column, %ns : tensor<4x1xi32>
  %inside = tile.broadcast %below : tensor<4x1xi1> -> tensor<4x16xi1>
  %y = tile.load %qq, %inside : tensor<4x16x!tile.ptr<f32>>
  tile.store %a, %y : tensor<4x16x!tile.ptr<f32>>
  tile.return
}

// -----

// The first of a group may be outside if indices wrap around, as hashes and integers of few bits do.

// CHECK-LABEL: @wraps
// CHECK-COUNT-2: tile.load %{{.*}} : tensor<16x16x!tile.ptr<f32>>
tile.func @wraps(%a: tensor<16x16x!tile.ptr<f32>>, %n: i32, %byte: i8, %base: !tile.ptr<f32>) {
  %eight = arith.constant dense<8> : tensor<16xi32>
  %factor = arith.constant dense<1103515245> : tensor<16xi32>
  %small = arith.constant dense<30> : tensor<16xi8>
  %i = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %column = tile.expand_dims %i {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %own = tile.broadcast %column : tensor<16x1xi32> -> tensor<16x16xi32>
  %eighth = arith.divsi %i, %eight : tensor<16xi32>
  %row = tile.expand_dims %eighth {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rows = tile.broadcast %row : tensor<1x16xi32> -> tensor<16x16xi32>
  %bases = tile.splat %base : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  %o = tile.addptr %bases, %own : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %p = tile.addptr %o, %rows : tensor<16x16x!tile.ptr<f32>>, tensor<16x16xi32>
  %hash = arith.muli %i, %factor : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %below = arith.cmpi slt, %hash, %ns : tensor<16xi32>
  %mask = tile.expand_dims %below {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
  %masks = tile.broadcast %mask : tensor<1x16xi1> -> tensor<16x16xi1>
  %x = tile.load %p, %masks : tensor<16x16x!tile.ptr<f32>>
  tile.store %a, %x : tensor<16x16x!tile.ptr<f32>>
  %bytes = arith.trunci %i : tensor<16xi32> to tensor<16xi8>
  %more = arith.muli %bytes, %small : tensor<16xi8>
  %limits = tile.splat %byte : i8 -> tensor<16xi8>
  %few = arith.cmpi slt, %more, %limits : tensor<16xi8>
  %fews = tile.expand_dims %few {axis = 0 : i32} : tensor<16xi1> -> tensor<1x16xi1>
  %all = tile.broadcast %fews : tensor<1x16xi1> -> tensor<16x16xi1>
  %y = tile.load %p, %all : tensor<16x16x!tile.ptr<f32>>
  tile.store %a, %y : tensor<16x16x!tile.ptr<f32>>
  tile.return
}
