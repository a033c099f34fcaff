// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// CHECK-DAG: llvm.mlir.global internal constant @[[MESSAGE:.*]]("index out of range\00") {addr_space = 1 : i32, alignment = 1 : i64}
// CHECK-DAG: llvm.mlir.global internal constant @[[FUNCTION:.*]]("assert\00")
// CHECK-DAG: llvm.func @__assertfail(!llvm.ptr, !llvm.ptr, i32, !llvm.ptr, i64)
// CHECK-LABEL: llvm.func @assert
tile.func @assert(%p: !tile.ptr<i8>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %c = arith.constant dense<33> : tensor<64xi32, #l>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  // CHECK: %[[A:.*]] = llvm.icmp "slt"
  // CHECK: %[[B:.*]] = llvm.icmp "slt"
  // CHECK: %[[ALL:.*]] = llvm.and %[[A]], %[[B]] : i1
  // CHECK: %[[FAILS:.*]] = llvm.xor %[[ALL]]
  // CHECK: llvm.cond_br %[[FAILS]], ^[[FAILURE:.*]], ^
  // CHECK: ^[[FAILURE]]:
  // CHECK: llvm.mlir.addressof @[[MESSAGE]]
  // CHECK: llvm.call @__assertfail
  %ok = arith.cmpi slt, %r, %c : tensor<64xi32, #l>
  tile.assert %ok, "index out of range" : tensor<64xi1, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1, 0], [0, 1], [0, 2], [0, 4], [0, 0]], warp = []}>

// Owners print elements with their indices, one thread prints a scalar. A
// percent sign in the prefix is printed.
// CHECK-DAG: ("pid (%u, %u, %u) idx (%u, %u) 100%% x = %lld\0A\00")
// CHECK-DAG: ("pid (%u, %u, %u) idx () 100%% x = 0x%04x\0A\00")
// CHECK-DAG: ("pid (%u, %u, %u) idx () f = %f\0A\00")
// CHECK-DAG: ("pid (%u, %u, %u) here\0A\00")
// CHECK-LABEL: llvm.func @print
tile.func @print(%x: i64, %i: i16, %f: bf16) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %v = tile.splat %x : i64 -> tensor<2x8xi64, #l>
  // CHECK: llvm.cond_br
  // CHECK: llvm.call @vprintf
  tile.print "100% x = ", %v {isSigned = array<i1: true>} : tensor<2x8xi64, #l>
  // Hexadecimal output has the digits of the type, also for negative numbers.
  // CHECK: llvm.zext %arg1 : i16 to i32
  // CHECK: llvm.call @vprintf
  tile.print "100% x = ", %i {hex = true, isSigned = array<i1: true>} : i16
  // CHECK: llvm.fpext %arg2 : bf16 to f64
  // CHECK: llvm.call @vprintf
  tile.print "f = ", %f {isSigned = array<i1: false>} : bf16
  // CHECK: llvm.call @vprintf
  tile.print "here" {isSigned = array<i1>}
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = []}>

// A part of a tile prints indices in the whole tile, and no padding.
// CHECK-LABEL: llvm.func @print_part
// CHECK: %[[INSIDE:.*]] = llvm.icmp "ult" %[[I:.*]], %{{.*}} : i32
// CHECK: %[[INDEX:.*]] = llvm.add %[[I]], %{{.*}} : i32
// CHECK: llvm.cond_br %[[INSIDE]]
// CHECK: llvm.store %[[INDEX]]
// CHECK: llvm.call @vprintf
tile.func @print_part() attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32, #l>
  tile.print "x = ", %r {isSigned = array<i1: true>, origin = array<i64: 64>, extent = array<i64: 20>} : tensor<32xi32, #l>
  tile.return
}
