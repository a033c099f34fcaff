// RUN: tilewright-opt %s --convert-warp-to-llvm --cse --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [128]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]}>

// The thread's index is a mask and a shift; registers add constants.
// CHECK-LABEL: llvm.func @range
tile.func @range(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // CHECK: %[[TID:.*]] = nvvm.read.ptx.sreg.tid.x
  // CHECK: %[[LOW:.*]] = llvm.and %[[TID]]
  // CHECK: %[[THREAD:.*]] = llvm.shl %[[LOW]], %[[ONE:.*]] : i32
  // CHECK: llvm.or disjoint %[[THREAD]], %[[ONE]] : i32
  // CHECK: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
  // CHECK: llvm.or disjoint %[[THREAD]], %[[C128]] : i32
  // CHECK: %[[C129:.*]] = llvm.mlir.constant(129 : i32)
  // CHECK: llvm.or disjoint %[[THREAD]], %[[C129]] : i32
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>, #l>
  tile.store %ps, %r : tensor<256x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[3]], lane = [[1], [4], [8], [16], [32]], warp = []}>

// Lane bit 0 and register bit 0 both change index bit 0: an xor, not an
// addition.
// CHECK-LABEL: llvm.func @swizzled
tile.func @swizzled(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[C3:.*]] = llvm.mlir.constant(3 : i32)
  // CHECK: llvm.xor %{{.*}}, %[[C3]] : i32
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32, #l>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>, #l>
  tile.store %ps, %r : tensor<64x!tile.ptr<i32>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[0, 1], [1, 0]], lane = [[0, 2], [0, 4], [2, 0], [4, 0], [8, 0]], warp = []}>
#t = #warp.linear<{register = [[1, 0], [0, 1]], lane = [[2, 0], [4, 0], [0, 2], [0, 4], [0, 8]], warp = []}>
#row = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 0], [0, 0], [0, 0]], warp = []}>
#v = #warp.linear<{register = [[1]], lane = [[2], [4], [0], [0], [0]], warp = []}>

// Shape ops compute nothing: each result register is an operand register.
// CHECK-LABEL: llvm.func @shapes
tile.func @shapes(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[A:.*]] = llvm.shl
  // CHECK: %[[B:.*]] = llvm.or disjoint %[[A]]
  %r = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32, #v>
  %e = tile.expand_dims %r {axis = 0 : i32} : tensor<8xi32, #v> -> tensor<1x8xi32, #row>
  %b = tile.broadcast %e : tensor<1x8xi32, #row> -> tensor<16x8xi32, #l>
  %t = tile.transpose %b {order = array<i32: 1, 0>} : tensor<16x8xi32, #l> -> tensor<8x16xi32, #t>
  // CHECK-COUNT-2: llvm.store %[[A]]
  // CHECK-NOT: llvm.add
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<8x16x!tile.ptr<i32>, #t>
  tile.store %ps, %t : tensor<8x16x!tile.ptr<i32>, #t>
  tile.return
}
