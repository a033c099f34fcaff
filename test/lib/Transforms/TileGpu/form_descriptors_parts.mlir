// RUN: tilewright-opt %s -remark-format=emitRemark -remarks-filter-missed=.* -split-input-file -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Words that are unpacked and joined to an operand are copied as words.

// CHECK-LABEL: @packed
// CHECK: tile.descriptor_load {{.*}} -> tensor<32x64xi8>
tile.func @packed(%a: !tile.ptr<i8> {tile.divisibility = 16 : i32}, %x: tensor<64x64xf16>, %n: i32 {tile.divisibility = 16 : i32}) -> tensor<64x64xf32> {
  %pid = tile.program_id x
  %c32 = arith.constant 32 : i32
  %four = arith.constant dense<4> : tensor<32x64xi8>
  %mask = arith.constant dense<15> : tensor<32x64xi8>
  %one = arith.constant dense<1> : tensor<32x64x2xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = arith.muli %pid, %c32 : i32
  %rows = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %firsts = tile.splat %first : i32 -> tensor<32xi32>
  %is = arith.addi %firsts, %rows : tensor<32xi32>
  %i1 = tile.expand_dims %is {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %ns = tile.splat %n : i32 -> tensor<32x1xi32>
  %offsets = arith.muli %i1, %ns : tensor<32x1xi32>
  %bases = tile.splat %a : !tile.ptr<i8> -> tensor<32x1x!tile.ptr<i8>>
  %starts = tile.addptr %bases, %offsets : tensor<32x1x!tile.ptr<i8>>, tensor<32x1xi32>
  %wide = tile.broadcast %starts : tensor<32x1x!tile.ptr<i8>> -> tensor<32x64x!tile.ptr<i8>>
  %columns = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %j = tile.expand_dims %columns {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %js = tile.broadcast %j : tensor<1x64xi32> -> tensor<32x64xi32>
  %p = tile.addptr %wide, %js : tensor<32x64x!tile.ptr<i8>>, tensor<32x64xi32>
  %words = tile.load %p : tensor<32x64x!tile.ptr<i8>>
  %low = arith.andi %words, %mask : tensor<32x64xi8>
  %high = arith.shrui %words, %four : tensor<32x64xi8>
  %l = arith.uitofp %low : tensor<32x64xi8> to tensor<32x64xf16>
  %h = arith.uitofp %high : tensor<32x64xi8> to tensor<32x64xf16>
  %l1 = tile.expand_dims %l {axis = 2 : i32} : tensor<32x64xf16> -> tensor<32x64x1xf16>
  %h1 = tile.expand_dims %h {axis = 2 : i32} : tensor<32x64xf16> -> tensor<32x64x1xf16>
  %l2 = tile.broadcast %l1 : tensor<32x64x1xf16> -> tensor<32x64x2xf16>
  %h2 = tile.broadcast %h1 : tensor<32x64x1xf16> -> tensor<32x64x2xf16>
  %two = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %t = tile.reshape %two : tensor<2xi32> -> tensor<1x1x2xi32>
  %ts = tile.broadcast %t : tensor<1x1x2xi32> -> tensor<32x64x2xi32>
  %is_high = arith.cmpi eq, %ts, %one : tensor<32x64x2xi32>
  %both = arith.select %is_high, %h2, %l2 : tensor<32x64x2xi1>, tensor<32x64x2xf16>
  %turned = tile.transpose %both {order = array<i32: 0, 2, 1>} : tensor<32x64x2xf16> -> tensor<32x2x64xf16>
  %w = tile.reshape %turned : tensor<32x2x64xf16> -> tensor<64x64xf16>
  %z = tile.dot %x, %w, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.return %z : tensor<64x64xf32>
}

// -----

// So do pairs that are split into two operands.

// CHECK-LABEL: @pairs
// CHECK: tile.descriptor_load {{.*}} -> tensor<64x128xf16>
tile.func @pairs(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) -> tensor<64x64xf32> {
  %pid = tile.program_id x
  %c64 = arith.constant 64 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %first = arith.muli %pid, %c64 : i32
  %rows = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %firsts = tile.splat %first : i32 -> tensor<64xi32>
  %is = arith.addi %firsts, %rows : tensor<64xi32>
  %i1 = tile.expand_dims %is {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %ns = tile.splat %n : i32 -> tensor<64x1xi32>
  %offsets = arith.muli %i1, %ns : tensor<64x1xi32>
  %bases = tile.splat %a : !tile.ptr<f16> -> tensor<64x1x!tile.ptr<f16>>
  %starts = tile.addptr %bases, %offsets : tensor<64x1x!tile.ptr<f16>>, tensor<64x1xi32>
  %wide = tile.broadcast %starts : tensor<64x1x!tile.ptr<f16>> -> tensor<64x128x!tile.ptr<f16>>
  %columns = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %j = tile.expand_dims %columns {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %js = tile.broadcast %j : tensor<1x128xi32> -> tensor<64x128xi32>
  %p = tile.addptr %wide, %js : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %all = tile.load %p : tensor<64x128x!tile.ptr<f16>>
  %split = tile.reshape %all : tensor<64x128xf16> -> tensor<64x64x2xf16>
  %sum = "tile.reduce"(%split) <{axis = 2 : i32}> ({
  ^bb0(%x: f16, %y: f16):
    %s = arith.addf %x, %y : f16
    tile.yield %s : f16
  }) : (tensor<64x64x2xf16>) -> tensor<64x64xf16>
  %z = tile.dot %sum, %sum, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  tile.return %z : tensor<64x64xf32>
}
