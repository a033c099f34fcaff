// RUN: tilewright-opt %s -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' | FileCheck %s

#rows = #warp.linear<{register = [[1], [2], [4]], lane = [[8], [16], [32], [64], [128]], warp = [[256], [512]]}>

// The divisibility of an argument also holds for its guarded divisor: 8 elements of a row whose length is a multiple of
// 8 share one address. It does not hold if the kernel itself divides by 1 instead of 0.

// CHECK-LABEL: llvm.func @argument
// CHECK: llvm.store {{.*}} : vector<8xf16>
// CHECK-NOT: llvm.store
// CHECK-LABEL: llvm.func @chosen
// CHECK-COUNT-8: llvm.store {{.*}} : f16
tile.func @argument(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: i32 {tile.divisibility = 8 : i32}, %x: f16)
    attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %pitch = arith.constant dense<4096> : tensor<1024xi32, #rows>
  %i = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
  %width = tile.splat %w : i32 -> tensor<1024xi32, #rows>
  %row = arith.divsi %i, %width : tensor<1024xi32, #rows>
  %column = arith.remsi %i, %width : tensor<1024xi32, #rows>
  %first = arith.muli %row, %pitch : tensor<1024xi32, #rows>
  %at = arith.addi %first, %column : tensor<1024xi32, #rows>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #rows>
  %to = tile.addptr %base, %at : tensor<1024x!tile.ptr<f16>, #rows>, tensor<1024xi32, #rows>
  %value = tile.splat %x : f16 -> tensor<1024xf16, #rows>
  tile.store %to, %value : tensor<1024x!tile.ptr<f16>, #rows>
  tile.return
}

tile.func @chosen(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: i32 {tile.divisibility = 8 : i32}, %x: f16)
    attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %pitch = arith.constant dense<4096> : tensor<1024xi32, #rows>
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %i = tile.range {start = 0 : i32, end = 1024 : i32} : tensor<1024xi32, #rows>
  %none = arith.cmpi eq, %w, %zero : i32
  %some = arith.select %none, %one, %w : i32
  %width = tile.splat %some : i32 -> tensor<1024xi32, #rows>
  %row = arith.divsi %i, %width : tensor<1024xi32, #rows>
  %column = arith.remsi %i, %width : tensor<1024xi32, #rows>
  %first = arith.muli %row, %pitch : tensor<1024xi32, #rows>
  %at = arith.addi %first, %column : tensor<1024xi32, #rows>
  %base = tile.splat %p : !tile.ptr<f16> -> tensor<1024x!tile.ptr<f16>, #rows>
  %to = tile.addptr %base, %at : tensor<1024x!tile.ptr<f16>, #rows>, tensor<1024xi32, #rows>
  %value = tile.splat %x : f16 -> tensor<1024xf16, #rows>
  tile.store %to, %value : tensor<1024x!tile.ptr<f16>, #rows>
  tile.return
}
