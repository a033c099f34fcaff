// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// The magnitude of -32768 is -32768. ptxas 13.0 makes 32768 of `abs.s16` where the result is widened.

// CHECK-LABEL: .entry halves(
// CHECK-NOT: abs.s16
// CHECK: abs.s32
// CHECK-NOT: abs.s16
// CHECK: cvt.s64.s16
// CHECK: ret;
tile.func @halves(%p: !tile.ptr<i16>, %q: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = tile.load %p : !tile.ptr<i16>
  %m = math.absi %x : i16
  %w = arith.extsi %m : i16 to i64
  tile.store %q, %w : !tile.ptr<i64>
  tile.return
}
