// RUN: tilewright-opt %s -convert-warp-to-llvm='compute-capability=90' | FileCheck %s
// RUN: tilewright-opt %s -convert-warp-to-llvm='compute-capability=80' | FileCheck %s --check-prefix=SM80

// Results of tensor cores go to shared memory in matrices of 8 x 8, by rows or, if columns are contiguous there,
// transposed. Elementwise if half of a warp holds copies, or if the target lacks the instruction.

#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#half = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[0, 0]]}>
#rows = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#columns = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8], [0, 16]]}>

// CHECK-LABEL: @rows
// CHECK-COUNT-2: nvvm.stmatrix {{.*}} layout = #nvvm.mma_layout<row>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: llvm.store
// SM80-LABEL: @rows
// SM80-NOT: stmatrix
// SM80-COUNT-8: llvm.store {{.*}} : i32, !llvm.ptr<3>
tile.func @rows() attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<16x32xf16, #acc>
  %m = warp.alloc {warp.shared_offset = 0 : i32} : !warp.shared<16x32xf16, #rows>
  warp.local_store %x, %m : tensor<16x32xf16, #acc> -> !warp.shared<16x32xf16, #rows>
  tile.return
}

// CHECK-LABEL: @columns
// CHECK-COUNT-2: nvvm.stmatrix {{.*}} layout = #nvvm.mma_layout<col>{{.*}} : !llvm.ptr<3>, i32, i32, i32, i32
// CHECK-NOT: llvm.store
// SM80-LABEL: @columns
tile.func @columns() attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %x = arith.constant dense<1.0> : tensor<16x32xf16, #acc>
  %m = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x32xf16, #acc>) -> !warp.shared<16x32xf16, #columns>
  tile.return
}

// CHECK-LABEL: @copies
// CHECK-NOT: stmatrix
// CHECK: llvm.return
tile.func @copies() attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %x = arith.constant dense<1.0> : tensor<16x32xf16, #half>
  %m = warp.alloc %x {warp.shared_offset = 0 : i32} : (tensor<16x32xf16, #half>) -> !warp.shared<16x32xf16, #rows>
  tile.return
}
