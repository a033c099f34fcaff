// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#swizzled = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 2], [4, 0], [8, 2]]}>

// CHECK: #[[ROWS:.*]] = #warp.linear<{register
// CHECK: #[[SHARED:.*]] = #warp.linear<{offset = {{\[\[}}0, 1], [0, 2], [1, 0], [2, 2], [4, 0], [8, 2]]}>

// CHECK-LABEL: @round_trip
// CHECK-SAME: %[[X:.*]]: tensor<16x4xf16, #[[ROWS]]>
tile.func @round_trip(%x: tensor<16x4xf16, #rows>) -> tensor<16x4xf16, #rows> {
  // CHECK: %[[M:.*]] = warp.alloc : !warp.shared<16x4xf16, #[[SHARED]]>
  %m = warp.alloc : !warp.shared<16x4xf16, #swizzled>
  // CHECK: warp.local_store %[[X]], %[[M]] : tensor<16x4xf16, #[[ROWS]]> -> !warp.shared<16x4xf16, #[[SHARED]]>
  warp.local_store %x, %m : tensor<16x4xf16, #rows> -> !warp.shared<16x4xf16, #swizzled>
  // CHECK: warp.barrier
  warp.barrier
  // CHECK: warp.local_load %[[M]] : !warp.shared<16x4xf16, #[[SHARED]]> -> tensor<16x4xf16, #[[ROWS]]>
  %y = warp.local_load %m : !warp.shared<16x4xf16, #swizzled> -> tensor<16x4xf16, #rows>
  tile.return %y : tensor<16x4xf16, #rows>
}

// CHECK-LABEL: @filled
// CHECK-SAME: %[[X:.*]]: tensor
tile.func @filled(%x: tensor<16x4x!tile.ptr<i8>, #rows>) {
  // CHECK: warp.alloc %[[X]] {warp.shared_offset = 128 : i32} : (tensor<16x4x!tile.ptr<i8>, #[[ROWS]]>) -> !warp.shared<16x4x!tile.ptr<i8>, #[[SHARED]]>
  %m = warp.alloc %x {warp.shared_offset = 128 : i32} : (tensor<16x4x!tile.ptr<i8>, #rows>) -> !warp.shared<16x4x!tile.ptr<i8>, #swizzled>
  tile.return
}
