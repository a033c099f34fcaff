// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// A loop from below zero up to its step ends by a signed comparison. LLVM would compare `i` itself, as an unsigned
// number, and ptxas 13.0 then skips the last iteration.

// CHECK-LABEL: .entry up_to_step(
// CHECK-NOT: setp.{{gt|lt|ge|le}}.u32
// CHECK: bar.sync
// CHECK: setp.{{lt|ge|gt|le}}.s32 %{{.*}}, %{{.*}}, {{16|15}};
// CHECK-NOT: setp.{{gt|lt|ge|le}}.u32
// CHECK: ret;
tile.func @up_to_step(%p: !tile.ptr<i32>, %first: i32) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %c16 = arith.constant 16 : i32
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %first to %c16 step %c16 iter_args(%s = %zero) -> i32 : i32 {
    %t = arith.muli %s, %c16 : i32
    %n = arith.addi %t, %i : i32
    warp.barrier
    scf.yield %n : i32
  }
  tile.store %p, %sum : !tile.ptr<i32>
  tile.return
}

// With a step known only at run time, the comparison subtracts the step from the end.

// CHECK-LABEL: .entry any_step(
// CHECK: sub.s32 %[[LESS:r[0-9]+]],
// CHECK: bar.sync
tile.func @any_step(%p: !tile.ptr<i32>, %end: i32, %step: i32) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %sum = scf.for %i = %zero to %end step %step iter_args(%s = %zero) -> i32 : i32 {
    %n = arith.xori %s, %i : i32
    warp.barrier
    scf.yield %n : i32
  }
  tile.store %p, %sum : !tile.ptr<i32>
  tile.return
}
