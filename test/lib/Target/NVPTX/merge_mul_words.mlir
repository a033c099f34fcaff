// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// One instruction computes both words, in either order of use.
// CHECK-LABEL: .entry both_words(
tile.func @both_words(%x: i32, %y: i32, %p: !tile.ptr<i32>, %q: !tile.ptr<i32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i64
  %factor = arith.constant 3528531795 : i64
  %narrow = arith.constant -766435501 : i32
  // CHECK-NOT: mul.hi
  // CHECK-NOT: mul.lo
  // CHECK: mul.wide.u32
  %w = arith.extui %x : i32 to i64
  %wide = arith.muli %w, %factor : i64
  %up = arith.shrui %wide, %c32 : i64
  %high = arith.trunci %up : i64 to i32
  %low = arith.muli %x, %narrow : i32
  %a = arith.xori %high, %low : i32
  // CHECK: mul.wide.s32
  // CHECK-NOT: mul.hi
  // CHECK-NOT: mul.lo
  %second = arith.muli %a, %y : i32
  %sa = arith.extsi %a : i32 to i64
  %sy = arith.extsi %y : i32 to i64
  %both = arith.muli %sy, %sa : i64
  %top = arith.shrsi %both, %c32 : i64
  %third = arith.trunci %top : i64 to i32
  // CHECK: ret;
  tile.store %p, %second : !tile.ptr<i32>
  tile.store %q, %third : !tile.ptr<i32>
  tile.return
}

// Multiplications of other factors or of other signedness are not merged.
// CHECK-LABEL: .entry unrelated(
tile.func @unrelated(%x: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %c32 = arith.constant 32 : i64
  %factor = arith.constant 3528531795 : i64
  %narrow = arith.constant -766435502 : i32
  // CHECK-DAG: mul.wide.u32 {{.*}}, -766435501;
  // CHECK-DAG: mul.lo.s32 {{.*}}, -766435502;
  %w = arith.extui %x : i32 to i64
  %wide = arith.muli %w, %factor : i64
  %up = arith.shrui %wide, %c32 : i64
  %high = arith.trunci %up : i64 to i32
  %low = arith.muli %x, %narrow : i32
  %a = arith.xori %high, %low : i32
  // CHECK: ret;
  tile.store %p, %a : !tile.ptr<i32>
  tile.return
}
