// RUN: tilewright-opt %s -convert-warp-to-llvm -canonicalize -cse | FileCheck %s

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [8, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]}>
#fragment = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [0, 0]]}>
// Rows of 64 bytes, whose chunks of 16 bytes are permuted by the row.
#swizzled = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0]]}>

// Whole chunks of a row are stored, by the first of two warps with copies; the
// fragments of tensor cores are read in pairs.
// CHECK-LABEL: @operand
tile.func @operand(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  // CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @__tilewright_shared
  // CHECK: %[[BASE:.*]] = llvm.getelementptr %[[SHARED]][1024]
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK-COUNT-2: "@$0 st.shared.v4.b32 [$1], {$2, $3, $4, $5};", "b,r,r,r,r,r" %[[OWNER]]
  // CHECK-NOT: st.shared
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-2: nvvm.ldmatrix {{.*}} layout = #nvvm.mma_layout<row>, num = 4
  // CHECK-NOT: llvm.load
  // CHECK: llvm.return
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #rows>
  %x = tile.load %q : tensor<32x32x!tile.ptr<f16>, #rows>
  %m = warp.alloc {warp.shared_offset = 1024 : i32} : !warp.shared<32x32xf16, #swizzled>
  warp.local_store %x, %m : tensor<32x32xf16, #rows> -> !warp.shared<32x32xf16, #swizzled>
  warp.barrier
  %y = warp.local_load %m : !warp.shared<32x32xf16, #swizzled> -> tensor<32x32xf16, #fragment>
  %r = tile.splat %p : !tile.ptr<f16> -> tensor<32x32x!tile.ptr<f16>, #fragment>
  tile.store %r, %y : tensor<32x32x!tile.ptr<f16>, #fragment>
  tile.return
}

#line = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]]}>
#flat = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32]]}>

// Memory that holds a tile initially. Booleans take a byte.
// CHECK-LABEL: @filled
tile.func @filled(%p: !tile.ptr<i8>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.store %{{.*}}, %{{.*}} {alignment = 2 : i64} : i16, !llvm.ptr<3>
  // CHECK: llvm.load %{{.*}} {alignment = 2 : i64} : !llvm.ptr<3> -> i16
  %q = tile.splat %p : !tile.ptr<i8> -> tensor<64x!tile.ptr<i8>, #line>
  %x = tile.load %q : tensor<64x!tile.ptr<i8>, #line>
  %b = arith.trunci %x : tensor<64xi8, #line> to tensor<64xi1, #line>
  %m = warp.alloc %b {warp.shared_offset = 0 : i32} : (tensor<64xi1, #line>) -> !warp.shared<64xi1, #flat>
  warp.barrier
  %y = warp.local_load %m : !warp.shared<64xi1, #flat> -> tensor<64xi1, #line>
  %z = arith.extui %y : tensor<64xi1, #line> to tensor<64xi8, #line>
  tile.store %q, %z : tensor<64x!tile.ptr<i8>, #line>
  tile.return
}
