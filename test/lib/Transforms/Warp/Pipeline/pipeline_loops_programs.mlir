// RUN: tilewright-opt %s -warp-pipeline-loops="num-stages=4 limit=67000" -remark-format=emitRemark \
// RUN:   -remarks-filter-missed=.* -verify-diagnostics | FileCheck %s

// Without dots, more than two slots must leave shared memory for other CTAs of the SM.

#row = #warp.linear<{register = [[1], [2], [512], [1024], [2048]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>
#line = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>

// CHECK-LABEL: @rows
// CHECK: warp.ring : !warp.ring<2 x
tile.func @rows(%p: tensor<4096x!tile.ptr<f32>, #row>, %n: i32) -> tensor<4096xf32, #row> attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4096xf32, #row>
  %zeros = arith.constant dense<0> : tensor<4096xi32, #row>
  %q = tile.addptr %p, %zeros {tile.contiguity = array<i32: 4096>, tile.divisibility = array<i32: 16>} : tensor<4096x!tile.ptr<f32>, #row>, tensor<4096xi32, #row>
  // expected-remark@+1 {{a ring of 2 slots instead of 4: more would leave too little shared memory for other programs}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<4096xf32, #row>) : i32 {
    %t = tile.load %q : tensor<4096x!tile.ptr<f32>, #row>
    %s = warp.alloc %t : (tensor<4096xf32, #row>) -> !warp.shared<4096xf32, #line>
    %y = warp.local_load %s : !warp.shared<4096xf32, #line> -> tensor<4096xf32, #row>
    %next = arith.addf %x, %y : tensor<4096xf32, #row>
    scf.yield %next : tensor<4096xf32, #row>
  }
  tile.return %sum : tensor<4096xf32, #row>
}

// A CTA of 32 warps is alone in any case.

#spread = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256], [512], [1024], [2048]]}>

// CHECK-LABEL: @alone
// CHECK: warp.ring : !warp.ring<4 x
tile.func @alone(%p: tensor<4096x!tile.ptr<f32>, #spread>, %n: i32) -> tensor<4096xf32, #spread> attributes {warp.num_warps = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<4096xf32, #spread>
  %zeros = arith.constant dense<0> : tensor<4096xi32, #spread>
  %q = tile.addptr %p, %zeros {tile.contiguity = array<i32: 4096>, tile.divisibility = array<i32: 16>} : tensor<4096x!tile.ptr<f32>, #spread>, tensor<4096xi32, #spread>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%x = %zero) -> (tensor<4096xf32, #spread>) : i32 {
    %t = tile.load %q : tensor<4096x!tile.ptr<f32>, #spread>
    %s = warp.alloc %t : (tensor<4096xf32, #spread>) -> !warp.shared<4096xf32, #line>
    %y = warp.local_load %s : !warp.shared<4096xf32, #line> -> tensor<4096xf32, #spread>
    %next = arith.addf %x, %y : tensor<4096xf32, #spread>
    scf.yield %next : tensor<4096xf32, #spread>
  }
  tile.return %sum : tensor<4096xf32, #spread>
}
