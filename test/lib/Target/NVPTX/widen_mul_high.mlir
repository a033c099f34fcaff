// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// ptxas 13.0 to 13.5 lose the carry in a 64-bit subtraction from a 32-bit `mul.hi`. The pass replaces each `mul.hi` whose
// result may become the lower word of a 64-bit value.

// CHECK-LABEL: .entry unsigned(
// CHECK-NOT: mul.hi
// CHECK: mul.wide.u32 [[WIDE:%rd[0-9]+]], {{%r[0-9]+}}, 1431655766;
// CHECK: mov.b64 {{.*}}[[HIGH:%r[0-9]+]]}, [[WIDE]];
// CHECK: cvt.u64.u32 {{%rd[0-9]+}}, [[HIGH]];
// CHECK-NOT: mul.hi
// CHECK: ret;
tile.func @unsigned(%x: i32, %y: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i64
  %factor = arith.constant 1431655766 : i64
  %w = arith.extui %x : i32 to i64
  %mul = arith.muli %w, %factor : i64
  %high = arith.shrui %mul, %c32 : i64
  %z = arith.extui %y : i32 to i64
  %difference = arith.subi %high, %z : i64
  tile.store %p, %difference : !tile.ptr<i64>
  tile.return
}

// Selects, additions and loops may forward the result.
// CHECK-LABEL: .entry forwarded(
// CHECK-NOT: mul.hi
// CHECK: mul.wide.s32
// CHECK-NOT: mul.hi
// CHECK: ret;
tile.func @forwarded(%x: i32, %y: i32, %n: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %long_zero = arith.constant 0 : i64
  %c32 = arith.constant 32 : i64
  %sx = arith.extsi %x : i32 to i64
  %sy = arith.extsi %y : i32 to i64
  %mul = arith.muli %sx, %sy : i64
  %shifted = arith.shrui %mul, %c32 : i64
  %high = arith.trunci %shifted : i64 to i32
  %last = scf.for %i = %zero to %n step %one iter_args(%carried = %high) -> (i32) : i32 {
    %even = arith.andi %carried, %i : i32
    %is_zero = arith.cmpi eq, %even, %zero : i32
    %sum = arith.addi %carried, %i : i32
    %next = arith.select %is_zero, %sum, %carried : i32
    scf.yield %next : i32
  }
  %wide = arith.extui %last : i32 to i64
  %z = arith.extui %n : i32 to i64
  %negated = arith.subi %long_zero, %z : i64
  %difference = arith.addi %wide, %negated : i64
  tile.store %p, %difference : !tile.ptr<i64>
  tile.return
}

// The shift of a division changes the result.
// CHECK-LABEL: .entry divided(
// CHECK-NOT: mul.wide
// CHECK: mul.hi.u32 [[HIGH:%r[0-9]+]],
// CHECK-NEXT: shr.u32 {{%r[0-9]+}}, [[HIGH]], 1;
// CHECK-NOT: mul.wide
// CHECK: ret;
tile.func @divided(%x: i32, %y: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %three = arith.constant 3 : i32
  %quotient = arith.divui %x, %three : i32
  %wide = arith.extui %quotient : i32 to i64
  %z = arith.extui %y : i32 to i64
  %difference = arith.subi %wide, %z : i64
  tile.store %p, %difference : !tile.ptr<i64>
  tile.return
}

// A division without a shift forwards it.
// CHECK-LABEL: .entry divided_without_shift(
// CHECK-NOT: mul.hi
// CHECK: mul.wide.u32
// CHECK-NOT: mul.hi
// CHECK: ret;
tile.func @divided_without_shift(%x: i32, %y: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %divisor = arith.constant 641 : i32
  %quotient = arith.divui %x, %divisor : i32
  %wide = arith.extui %quotient : i32 to i64
  %z = arith.extui %y : i32 to i64
  %difference = arith.subi %wide, %z : i64
  tile.store %p, %difference : !tile.ptr<i64>
  tile.return
}

// The assembler writes the upper word of `mul.wide.s32` by the least integer as `mul.hi.s32`.
// CHECK-LABEL: .entry by_least(
// CHECK-NOT: {{mul.hi|mul.wide}}
// CHECK: neg.s64
// CHECK: neg.s64
// CHECK-NOT: {{mul.hi|mul.wide}}
// CHECK: ret;
tile.func @by_least(%x: i32, %y: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i64
  %least = arith.constant -2147483648 : i64
  %sx = arith.extsi %x : i32 to i64
  %mul = arith.muli %sx, %least : i64
  %shifted = arith.shrui %mul, %c32 : i64
  %z = arith.extui %y : i32 to i64
  %difference = arith.subi %shifted, %z : i64
  tile.store %p, %difference : !tile.ptr<i64>
  %sy = arith.extsi %y : i32 to i64
  %other = arith.muli %sy, %least : i64
  tile.store %p, %other : !tile.ptr<i64>
  tile.return
}
