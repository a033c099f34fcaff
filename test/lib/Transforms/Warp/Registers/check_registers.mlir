// RUN: tilewright-opt %s -split-input-file -warp-check-registers -remark-format=emitRemark -remarks-filter=.* \
// RUN:   -verify-diagnostics -o /dev/null

// The accumulator takes 512 registers per thread, so the loop gets a remark.

#wide = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64], [32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[0, 128], [128, 0]]}>
tile.func @too_wide(%x: tensor<256x256xf32, #wide>, %n: i32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{[Missed] Registers | Category:warp-check-registers | Limit=255, Registers=512, Remark="the tiles that this loop carries take 512 registers per thread, which has 255: they are spilled to memory"}}
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<256x256xf32, #wide> : i32 {
    %next = arith.addf %acc, %x : tensor<256x256xf32, #wide>
    scf.yield %next : tensor<256x256xf32, #wide>
  }
  tile.return
}

// -----

// Two 16-bit elements share a register, and copies of an element are one: 192 registers.

#packed = #warp.linear<{register = [[1], [2], [4], [8], [16], [32], [64], [128]], lane = [[256], [512], [1024], [2048], [4096]], warp = [[8192], [16384]]}>
#copies = #warp.linear<{register = [[0], [0], [0], [0], [1], [2], [4], [8], [16], [32], [64]], lane = [[128], [256], [512], [1024], [2048]], warp = [[4096], [8192]]}>
tile.func @fits(%x: tensor<32768xbf16, #packed>, %y: tensor<16384xf16, #copies>, %n: i32) attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<32768xbf16, #packed>, tensor<16384xf16, #copies>) : i32 {
    %r = arith.addf %p, %x : tensor<32768xbf16, #packed>
    %s = arith.addf %q, %y : tensor<16384xf16, #copies>
    scf.yield %r, %s : tensor<32768xbf16, #packed>, tensor<16384xf16, #copies>
  }
  tile.return
}

// -----

// Integers are often recomputed.

#ints = #warp.linear<{register = [[1], [2], [4], [8], [16], [32], [64], [128], [256]], lane = [[512], [1024], [2048], [4096], [8192]], warp = []}>
tile.func @integers(%x: tensor<16384xi32, #ints>, %n: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %x) -> tensor<16384xi32, #ints> : i32 {
    %next = arith.addi %acc, %x : tensor<16384xi32, #ints>
    scf.yield %next : tensor<16384xi32, #ints>
  }
  tile.return
}

// -----

// 32 warps have 64 registers for each thread.

#many = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [0, 64]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0], [128, 0], [256, 0], [512, 0]]}>
tile.func @many_warps(%x: tensor<1024x128xf32, #many>, %n: i32) attributes {warp.num_warps = 32 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{take 128 registers per thread, which has 64: they are spilled}}
  %sum = scf.while (%acc = %x) : (tensor<1024x128xf32, #many>) -> tensor<1024x128xf32, #many> {
    %more = arith.cmpi slt, %c0, %n : i32
    scf.condition(%more) %acc : tensor<1024x128xf32, #many>
  } do {
  ^bb0(%acc: tensor<1024x128xf32, #many>):
    %next = arith.addf %acc, %x : tensor<1024x128xf32, #many>
    scf.yield %next : tensor<1024x128xf32, #many>
  }
  tile.return
}

// -----

// Of 9 warps a quarter of the SM has three, with 168 registers per thread each.

#nine = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [128, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]}>
#half = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [[32, 0], [64, 0]]}>
tile.func @uneven(%x: tensor<256x64xf32, #nine>, %y: tensor<128x64xf32, #half>, %n: i32) attributes {warp.num_warps = 4 : i32, warp.block_warps = 9 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  // expected-remark@+1 {{take 192 registers per thread, which has 168: they are spilled}}
  %a, %b = scf.for %i = %c0 to %n step %c1 iter_args(%p = %x, %q = %y) -> (tensor<256x64xf32, #nine>, tensor<128x64xf32, #half>) : i32 {
    %r = arith.addf %p, %x : tensor<256x64xf32, #nine>
    %s = arith.addf %q, %y : tensor<128x64xf32, #half>
    scf.yield %r, %s : tensor<256x64xf32, #nine>, tensor<128x64xf32, #half>
  }
  tile.return
}
