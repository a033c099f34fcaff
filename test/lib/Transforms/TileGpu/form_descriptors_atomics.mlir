// RUN: tilewright-opt %s -split-input-file -remark-format=emitRemark -remarks-filter-missed=.* -verify-diagnostics \
// RUN:   -tile-gpu-form-descriptors='num-warps=4 compute-capability=90 arch-specific=true' | FileCheck %s

// An accumulator that is added to a block of an array without ordering is added
// by TMA copies.

// CHECK-LABEL: @relaxed
// CHECK: tile.descriptor_store %{{.*}}, %{{.*}} reduce fadd : !tile.desc<64x64xf32>
// CHECK-NOT: tile.atomic_rmw
tile.func @relaxed(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32},
    %m: i32) attributes {tile.kernel} {
  %pid = tile.program_id x
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %length = arith.constant dense<64> : tensor<64x1xi32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %start = arith.muli %row, %length : tensor<64x1xi32>
  %rows = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %rows, %columns : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %ms = tile.splat %m : i32 -> tensor<64x1xi32>
  %in = arith.cmpi slt, %row, %ms : tensor<64x1xi32>
  %mask = tile.broadcast %in : tensor<64x1xi1> -> tensor<64x64xi1>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %old = tile.atomic_rmw fadd relaxed gpu %q, %d, %mask : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// The program has no other write that could be ordered with it.

// CHECK-LABEL: @only_write
// CHECK: reduce fadd
tile.func @only_write(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %length = arith.constant dense<64> : tensor<64x1xi32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %start = arith.muli %row, %length : tensor<64x1xi32>
  %rows = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %rows, %columns : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %old = tile.atomic_rmw fadd acq_rel gpu %q, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A program that sees the sum may go on to read the flag. A used result must be
// computed.

// CHECK-LABEL: @ordered
// CHECK: tile.atomic_rmw fadd release
// CHECK: tile.atomic_rmw fadd relaxed
// CHECK: tile.atomic_rmw xchg relaxed
tile.func @ordered(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %pid = tile.program_id x
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %length = arith.constant dense<64> : tensor<64x1xi32>
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %column = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %start = arith.muli %row, %length : tensor<64x1xi32>
  %rows = tile.broadcast %start : tensor<64x1xi32> -> tensor<64x64xi32>
  %columns = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %rows, %columns : tensor<64x64xi32>
  %as = tile.splat %a : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %p = tile.addptr %as, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %p : tensor<64x64x!tile.ptr<f16>>
  %d = tile.dot %x, %x, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
  %cs = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %cs, %at : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  // expected-remark@+1 {{not a block of an array: it is not relaxed, so it is ordered with other writes of the program}}
  %one = tile.atomic_rmw fadd release gpu %q, %d : tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: its result is used}}
  %two = tile.atomic_rmw fadd relaxed gpu %q, %d : tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: it exchanges elements instead of combining them}}
  %three = tile.atomic_rmw xchg relaxed gpu %q, %two : tensor<64x64x!tile.ptr<f32>>
  // expected-remark@+1 {{not a block of an array: its scope includes other devices}}
  %four = tile.atomic_rmw fadd relaxed sys %q, %d : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
