// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-stride-estimate))' -verify-diagnostics -o /dev/null

// Of two strides that are known at run time only, the divisible one is probably larger.
tile.func @matrix(%p: !tile.ptr<f16>, %even: i32 {tile.divisibility = 16 : i32}, %any: i32) {
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %rows = tile.expand_dims %range {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %columns = tile.expand_dims %range {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %i = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %j = tile.broadcast %columns : tensor<1x64xi32> -> tensor<64x64xi32>
  %evens = tile.splat %even : i32 -> tensor<64x64xi32>
  %anys = tile.splat %any : i32 -> tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %row_offsets = arith.muli %i, %evens : tensor<64x64xi32>
  %some = arith.muli %j, %anys : tensor<64x64xi32>
  %offsets = arith.addi %row_offsets, %some : tensor<64x64xi32>
  %ptrs = tile.addptr %ps, %offsets : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  // expected-remark@below {{pointers: [unknown from 32, unknown from 2]}}
  %x = tile.load %ptrs : tensor<64x64x!tile.ptr<f16>>
  %dense = arith.addi %row_offsets, %j : tensor<64x64xi32>
  // expected-remark@below {{dense: [unknown from 32, 1]}}
  tile.print "dense: ", %dense {isSigned = array<i1: true>} : tensor<64x64xi32>
  tile.return
}

// Wrapped indices are contiguous. Quotients are constant, unless the divisor is known to be less than the tile.
tile.func @wrapped(%n: i32) {
  %range = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %c3 = arith.constant dense<3> : tensor<64xi32>
  %ns = tile.splat %n : i32 -> tensor<64xi32>
  %rest = arith.remsi %range, %ns : tensor<64xi32>
  // expected-remark@below {{remainder: [1]}}
  tile.print "remainder: ", %rest {isSigned = array<i1: true>} : tensor<64xi32>
  %by_n = arith.divsi %range, %ns : tensor<64xi32>
  // expected-remark@below {{by an argument: [0]}}
  tile.print "by an argument: ", %by_n {isSigned = array<i1: true>} : tensor<64xi32>
  %by_16 = arith.divsi %range, %c16 : tensor<64xi32>
  // expected-remark@below {{by 16: [1]}}
  tile.print "by 16: ", %by_16 {isSigned = array<i1: true>} : tensor<64xi32>
  %tripled = arith.muli %range, %c3 : tensor<64xi32>
  %negated = arith.subi %ns, %tripled : tensor<64xi32>
  // expected-remark@below {{down: [-3]}}
  tile.print "down: ", %negated {isSigned = array<i1: true>} : tensor<64xi32>
  %square = arith.muli %range, %range : tensor<64xi32>
  // expected-remark@below {{square: [anywhere]}}
  tile.print "square: ", %square {isSigned = array<i1: true>} : tensor<64xi32>
  tile.return
}
