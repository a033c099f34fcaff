// RUN: tilewright-opt %s -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// A loop over blocks of rows counts down if its step is negative. Its index,
// the sum of its bounds minus the count, is above the lower bound. So it is not
// before the array, in either direction.

// CHECK-LABEL: @either_way
// CHECK: scf.for
// CHECK: %[[INDEX:.*]] = arith.select
// CHECK: %[[ROW:.*]] = arith.muli %[[INDEX]], %c64
// CHECK: tile.descriptor_load %{{.*}}[%[[ROW]], %c0{{.*}}]
tile.func @either_way(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32, %step: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %width = arith.constant dense<64> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %pid = tile.program_id x
  %blocks = arith.divsi %n, %c64 : i32
  %negative = arith.cmpi slt, %step, %c0 : i32
  %minus = arith.subi %c0, %step : i32
  %size = arith.select %negative, %minus, %step : i32
  %low = arith.select %negative, %blocks, %pid : i32
  %high = arith.select %negative, %pid, %blocks : i32
  %both = arith.addi %low, %high : i32
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %all = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %sum = scf.for %count = %low to %high step %size iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
    %down = arith.subi %both, %count : i32
    %index = arith.select %negative, %down, %count : i32
    %first = arith.muli %index, %c64 : i32
    %firsts = tile.splat %first : i32 -> tensor<64xi32>
    %is = arith.addi %firsts, %range : tensor<64xi32>
    %rows = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
    %offsets = arith.muli %rows, %width : tensor<64x1xi32>
    %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
    %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x64x!tile.ptr<f16>>
    %p = tile.addptr %wide, %all : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
    %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
    %z = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %z : tensor<64x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
