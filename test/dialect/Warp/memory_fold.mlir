// RUN: tilewright-opt %s -canonicalize -cse | FileCheck %s

#rows = #warp.linear<{lane = [[1], [2], [4], [8], [16]]}>
#shared = #warp.linear<{offset = [[1], [2], [4], [8], [16]]}>

// Unused loads are removed; ops that order memory stay, and loads before and
// after a barrier are not merged.
// CHECK-LABEL: @effects(
tile.func @effects(%x: tensor<32xf32, #rows>) -> tensor<32xf32, #rows> {
  // CHECK: %[[M:.*]] = warp.alloc %
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: %[[A:.*]] = warp.local_load %[[M]]
  // CHECK-NEXT: warp.barrier
  // CHECK-NEXT: %[[B:.*]] = warp.local_load %[[M]]
  // CHECK-NEXT: arith.addf %[[A]], %[[B]]
  %m = warp.alloc %x : (tensor<32xf32, #rows>) -> !warp.shared<32xf32, #shared>
  warp.barrier
  %unused = warp.local_load %m : !warp.shared<32xf32, #shared> -> tensor<32xf32, #rows>
  %a = warp.local_load %m : !warp.shared<32xf32, #shared> -> tensor<32xf32, #rows>
  warp.barrier
  %b = warp.local_load %m : !warp.shared<32xf32, #shared> -> tensor<32xf32, #rows>
  %c = arith.addf %a, %b : tensor<32xf32, #rows>
  tile.return %c : tensor<32xf32, #rows>
}
