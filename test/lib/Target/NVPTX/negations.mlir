// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// The negation of the least integer is that integer. ptxas 13.0 extends or shifts that of 16 bits as 32768. This also
// affects multiplications by negative powers of two, which LLVM turns into negations, and extensions of 8 bits.

// CHECK-LABEL: .entry negated(
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: neg.s32
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: ret;
tile.func @negated(%p: !tile.ptr<i16>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i16
  %x = tile.load %p : !tile.ptr<i16>
  %m = arith.subi %zero, %x : i16
  tile.store %p, %m : !tile.ptr<i16>
  %w = arith.extsi %m : i16 to i64
  tile.store %q, %w : !tile.ptr<i64>
  tile.return
}

// CHECK-LABEL: .entry multiplied(
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: neg.s32
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: ret;
tile.func @multiplied(%p: !tile.ptr<i16>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %factor = arith.constant -256 : i16
  %eight = arith.constant 8 : i16
  %x = tile.load %p : !tile.ptr<i16>
  %m = arith.muli %x, %factor : i16
  %h = arith.shrsi %m, %eight : i16
  %w = arith.extsi %h : i16 to i64
  tile.store %q, %w : !tile.ptr<i64>
  tile.return
}

// CHECK-LABEL: .entry byte(
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: neg.s32
// CHECK-NOT: {{neg|sub}}.s16
// CHECK: ret;
tile.func @byte(%p: !tile.ptr<i8>, %q: !tile.ptr<i16>, %r: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i8
  %x = tile.load %p : !tile.ptr<i8>
  %m = arith.subi %zero, %x : i8
  %h = arith.extsi %m : i8 to i16
  tile.store %q, %h : !tile.ptr<i16>
  %w = arith.extui %h : i16 to i64
  tile.store %r, %w : !tile.ptr<i64>
  tile.return
}
