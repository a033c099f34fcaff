// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// The negation of the least number is that number. ptxas 13.0 extends it to 32768 where another block does.

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
