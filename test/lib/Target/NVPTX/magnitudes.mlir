// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// The magnitude of the least integer is that integer, but assemblers assume that `abs` is not negative.

// CHECK-LABEL: .entry shorts(
// CHECK-NOT: abs.s16
// CHECK: abs.s32
// CHECK-NOT: abs.s16
// CHECK: cvt.s64.s16
// CHECK: ret;
tile.func @shorts(%p: !tile.ptr<i16>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = tile.load %p : !tile.ptr<i16>
  %m = math.absi %x : i16
  %w = arith.extsi %m : i16 to i64
  tile.store %q, %w : !tile.ptr<i64>
  tile.return
}

// CHECK-LABEL: .entry words(
// CHECK-NOT: abs.s
// CHECK: neg.s32
// CHECK: neg.s64
// CHECK-NOT: abs.s
// CHECK: ret;
tile.func @words(%p: !tile.ptr<i32>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %long_zero = arith.constant 0 : i64
  %x = tile.load %p : !tile.ptr<i32>
  %m = math.absi %x : i32
  %negative = arith.cmpi slt, %m, %zero : i32
  %word = arith.extui %negative : i1 to i32
  tile.store %p, %word : !tile.ptr<i32>
  %y = tile.load %q : !tile.ptr<i64>
  %n = math.absi %y : i64
  %long_negative = arith.cmpi slt, %n, %long_zero : i64
  %long = arith.extui %long_negative : i1 to i64
  tile.store %q, %long : !tile.ptr<i64>
  tile.return
}
