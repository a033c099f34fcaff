// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// A widened program id divided by a widened argument.
// CHECK-LABEL: .entry programs(
// CHECK-DAG: {{div|rem}}.{{[su]}}32
// CHECK-NOT: {{div|rem}}.{{[su]}}64
// CHECK: ret;
tile.func @programs(%n: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %0 = tile.program_id x
  %1 = arith.extsi %0 : i32 to i64
  %2 = arith.extsi %n : i32 to i64
  %3 = arith.divsi %1, %2 : i64
  %4 = arith.remsi %1, %2 : i64
  %5 = arith.addi %3, %4 : i64
  tile.store %p, %5 : !tile.ptr<i64>
  tile.return
}

// The least integer divided by -1 does not fit in 32 bits.
// CHECK-LABEL: .entry any(
// CHECK: div.s64
// CHECK: ret;
tile.func @any(%m: i32, %n: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %1 = arith.extsi %m : i32 to i64
  %2 = arith.extsi %n : i32 to i64
  %3 = arith.divsi %1, %2 : i64
  tile.store %p, %3 : !tile.ptr<i64>
  tile.return
}

// CHECK-LABEL: .entry unsigned(
// CHECK: div.u32
// CHECK-NOT: div.u64
// CHECK: ret;
tile.func @unsigned(%m: i32, %n: i32, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %1 = arith.extui %m : i32 to i64
  %2 = arith.extui %n : i32 to i64
  %3 = arith.divui %1, %2 : i64
  tile.store %p, %3 : !tile.ptr<i64>
  tile.return
}
