// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

// The threads of all warps; pointer alignment up to the widest access.
// CHECK-LABEL: llvm.func @kernel
// CHECK-SAME: %arg0: !llvm.ptr<1> {llvm.align = 16 : i64}
// CHECK-SAME: %arg1: !llvm.ptr<1> {llvm.align = 8 : i64}
// CHECK-SAME: %arg2: i32 {llvm.range = #llvm.constant_range<i32, 0, -2147483648>}
// CHECK-SAME: %arg3: i8
// CHECK-SAME: attributes {nvvm.kernel, nvvm.reqntid = array<i32: 256, 1, 1>}
tile.func @kernel(%a: !tile.ptr<f32> {tile.divisibility = 64 : i32}, %b: !tile.ptr<f32> {tile.divisibility = 8 : i32},
                  %n: i32 {tile.divisibility = 16 : i32, tile.non_negative}, %f: f8E4M3FN) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  // CHECK: nvvm.read.ptx.sreg.ctaid.x
  %x = tile.program_id x
  // CHECK: nvvm.read.ptx.sreg.ctaid.z
  %z = tile.program_id z
  // CHECK: nvvm.read.ptx.sreg.nctaid.y
  %ny = tile.num_programs y
  %s = arith.addi %x, %z : i32
  %t = arith.addi %s, %ny : i32
  %p = tile.addptr %a, %t : !tile.ptr<f32>, i32
  // CHECK: llvm.getelementptr %arg0[%{{.*}}] : (!llvm.ptr<1>, i32) -> !llvm.ptr<1>, f32
  %v = tile.load %p : !tile.ptr<f32>
  // CHECK: nvvm.barrier0
  warp.barrier
  tile.store %b, %v : !tile.ptr<f32>
  // CHECK: llvm.return
  tile.return
}

// -----

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// A tile that a loop carries is one value per register.
// CHECK-LABEL: llvm.func @loop
tile.func @loop(%n: i32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %init = arith.constant dense<1.0> : tensor<64xf32, #l>
  // CHECK: ^[[HEADER:.*]](%{{.*}}: i32, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK: llvm.cond_br
  // CHECK-COUNT-2: llvm.fadd
  // CHECK: llvm.br ^[[HEADER]]
  %sum = scf.for %i = %zero to %n step %one iter_args(%acc = %init) -> tensor<64xf32, #l> : i32 {
    %next = arith.addf %acc, %acc : tensor<64xf32, #l>
    scf.yield %next : tensor<64xf32, #l>
  }
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l>
  tile.store %ps, %sum : tensor<64x!tile.ptr<f32>, #l>
  tile.return
}
