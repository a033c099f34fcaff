// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128], [256]]}>

// A tree in registers, five shuffles, and four partial results through shared
// memory, read at once.
// CHECK: llvm.mlir.global external @__tilewright_shared() {addr_space = 3 : i32, alignment = 1024 : i64} : !llvm.array<0 x i8>
// CHECK-LABEL: llvm.func @sum
tile.func @sum(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %v = tile.splat %x : f32 -> tensor<512xf32, #l>
  // CHECK-COUNT-3: llvm.fadd
  // CHECK-NOT: llvm.fadd
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: llvm.inline_asm has_side_effects "@$0 st.shared.b32 [$1], $2;"
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-COUNT-3: llvm.fadd
  // CHECK-NOT: llvm.fadd
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) {warp.shared_offset = 0 : i32} : (tensor<512xf32, #l>) -> f32
  tile.store %p, %s : !tile.ptr<f32>
  tile.return
}

// -----

#l = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0]]}>
#o = #warp.linear<{register = [], lane = [[0], [0], [0], [0], [0]], warp = [[1]]}>

// One instruction reduces 32-bit integers over a warp; no shared memory.
// CHECK-NOT: @__tilewright_shared
// CHECK-LABEL: llvm.func @rows
tile.func @rows(%x: !tile.ptr<i32>, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %sx = tile.splat %x : !tile.ptr<i32> -> tensor<2x64x!tile.ptr<i32>, #l>
  %rx = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]}>>
  %ox = tile.reshape %rx : tensor<128xi32, #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[64]]}>> -> tensor<2x64xi32, #l>
  %xs = tile.addptr %sx, %ox : tensor<2x64x!tile.ptr<i32>, #l>, tensor<2x64xi32, #l>
  %v = tile.load %xs : tensor<2x64x!tile.ptr<i32>, #l>
  // CHECK: llvm.intr.umax
  // CHECK: nvvm.redux.sync umax
  // CHECK-NOT: nvvm.shfl
  // CHECK-NOT: nvvm.barrier
  %s = "tile.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.maxui %a, %b : i32
    tile.yield %c : i32
  }) : (tensor<2x64xi32, #l>) -> tensor<2xi32, #o>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<2x!tile.ptr<i32>, #o>
  tile.store %ps, %s : tensor<2x!tile.ptr<i32>, #o>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [0]], warp = []}>

// One region combines two operands; 64-bit values take two shuffles; the lane
// bit that holds copies is not reduced.
// CHECK-LABEL: llvm.func @argmax
tile.func @argmax(%x: f64, %i: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %v = tile.splat %x : f64 -> tensor<16xf64, #l>
  %n = tile.splat %i : i32 -> tensor<16xi32, #l>
  // CHECK-COUNT-12: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  %m:2 = "tile.reduce"(%v, %n) <{axis = 0 : i32}> ({
  ^bb0(%a: f64, %ai: i32, %b: f64, %bi: i32):
    %gt = arith.cmpf ogt, %a, %b : f64
    %c = arith.select %gt, %a, %b : f64
    %ci = arith.select %gt, %ai, %bi : i32
    tile.yield %c, %ci : f64, i32
  }) : (tensor<16xf64, #l>, tensor<16xi32, #l>) -> (f64, i32)
  tile.store %p, %m#1 : !tile.ptr<i32>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256]]}>

// With a long region lanes share the work on the partials of 16 warps: each
// loads one, four exchanges follow, and the operand of the lower lane is the
// left one.
// CHECK-LABEL: llvm.func @moments
tile.func @moments(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 16 : i32} {
  %v = tile.splat %x : f32 -> tensor<512xf32, #l>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<1xi32>
  // CHECK: %[[MINE:.*]] = llvm.bitcast %{{.*}} : i32 to f32
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<1xi32>
  // CHECK-NOT: llvm.load
  // CHECK: %[[UPPER:.*]] = llvm.icmp "ne"
  // CHECK: nvvm.shfl.sync bfly
  // CHECK: %[[OTHER:.*]] = llvm.bitcast
  // CHECK: llvm.select %[[UPPER]], %[[OTHER]], %[[MINE]]
  // CHECK: llvm.select %[[UPPER]], %[[MINE]], %[[OTHER]]
  // CHECK-COUNT-6: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  %m:2 = "tile.reduce"(%v, %v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %an: f32, %b: f32, %bn: f32):
    %n = arith.addf %an, %bn : f32
    %w = arith.divf %bn, %n : f32
    %d = arith.subf %b, %a : f32
    %e = arith.divf %d, %n : f32
    %f = arith.mulf %e, %w : f32
    %g = arith.divf %f, %n : f32
    %c = arith.addf %a, %g : f32
    tile.yield %c, %n : f32, f32
  }) {warp.shared_offset = 0 : i32} : (tensor<512xf32, #l>, tensor<512xf32, #l>) -> (f32, f32)
  tile.store %p, %m#0 : !tile.ptr<f32>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64], [128], [256], [512]]}>

// So they do for a single addition with 32 warps; it commutes, so the operands
// need no order.
// CHECK-LABEL: llvm.func @many_warps
tile.func @many_warps(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 32 : i32} {
  %v = tile.splat %x : f32 -> tensor<1024xf32, #l>
  // CHECK: nvvm.barrier0
  // CHECK: llvm.load %{{.*}} : !llvm.ptr<3> -> vector<1xi32>
  // CHECK-NOT: llvm.load
  // CHECK-NOT: llvm.select
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) {warp.shared_offset = 0 : i32} : (tensor<1024xf32, #l>) -> f32
  tile.store %p, %s : !tile.ptr<f32>
  tile.return
}

// -----

#l = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0]], warp = [[0, 4], [0, 8], [0, 16], [0, 32]]}>
#o = #warp.linear<{register = [], lane = [[0], [0], [1], [2], [4]], warp = [[0], [0], [0], [0]]}>

// Eight rows per warp leave only two lane bits for the partials of 16 warps:
// each thread combines all.
// CHECK-LABEL: llvm.func @rows_of_moments
tile.func @rows_of_moments(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 16 : i32} {
  %v = tile.splat %x : f32 -> tensor<8x64xf32, #l>
  // CHECK: nvvm.barrier0
  // CHECK-NOT: nvvm.shfl
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: nvvm.shfl
  %m = "tile.reduce"(%v) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %n = arith.divf %a, %b : f32
    %w = arith.divf %b, %n : f32
    %d = arith.divf %w, %a : f32
    tile.yield %d : f32
  }) {warp.shared_offset = 0 : i32} : (tensor<8x64xf32, #l>) -> tensor<8xf32, #o>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<8x!tile.ptr<f32>, #o>
  tile.store %ps, %m : tensor<8x!tile.ptr<f32>, #o>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1], [256], [512]], lane = [[2], [4], [8], [16], [32]], warp = [[64], [128]]}>

// A function that does not commute combines neighbours first. Of the four
// partials of its eight registers each lane keeps one: it exchanges with its
// neighbour for the second half, then for the second quarter. The partials of
// four times four warps and lanes are read in index order.
// CHECK-LABEL: llvm.func @in_order
tile.func @in_order(%x: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %v = tile.splat %x : i32 -> tensor<1024xi32, #l>
  // CHECK-COUNT-4: llvm.mul
  // CHECK: %[[UPPER:.*]] = llvm.icmp "ne"
  // CHECK: %[[GIVEN:.*]] = llvm.select %[[UPPER]], %[[FIRST:.*]], %[[THIRD:[^ ]*]]
  // CHECK: %[[TAKEN:.*]] = nvvm.shfl.sync bfly %{{.*}}, %[[GIVEN]]
  // CHECK: llvm.select %[[UPPER]], %[[TAKEN]], %[[FIRST]]
  // CHECK: llvm.select %[[UPPER]], %[[THIRD]], %[[TAKEN]]
  // CHECK-COUNT-5: nvvm.shfl.sync bfly
  // CHECK-NOT: nvvm.shfl
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-4: llvm.load %{{.*}} {alignment = 16 : i64} : !llvm.ptr<3> -> vector<4xi32>
  // CHECK-NOT: nvvm.barrier0
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %c = arith.muli %a, %b : i32
    %d = arith.subi %c, %b : i32
    tile.yield %d : i32
  }) {warp.shared_offset = 0 : i32} : (tensor<1024xi32, #l>) -> i32
  tile.store %p, %s : !tile.ptr<i32>
  tile.return
}

// -----

#l = #warp.linear<{register = [[0, 1], [8, 0], [16, 0], [32, 0], [64, 0]], lane = [[0, 2], [0, 4], [0, 8], [0, 16], [0, 32]], warp = [[1, 0], [2, 0], [4, 0]]}>
#o = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = [[0], [0], [0]]}>

// If rows are in register bits above the warp bits, all goes through shared
// memory, at most 32 KiB per round.
// CHECK-LABEL: llvm.func @rounds
tile.func @rounds(%x: i64, %p: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 8 : i32} {
  %v = tile.splat %x : i64 -> tensor<128x64xi64, #l>
  // CHECK: nvvm.barrier0
  // CHECK: nvvm.barrier0
  // CHECK: nvvm.barrier0
  // CHECK-NOT: nvvm.barrier0
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: i64, %b: i64):
    tile.yield %a : i64
  }) {warp.shared_offset = 0 : i32} : (tensor<128x64xi64, #l>) -> tensor<64xi64, #o>
  %ps = tile.splat %p : !tile.ptr<i64> -> tensor<64x!tile.ptr<i64>, #o>
  tile.store %ps, %s : tensor<64x!tile.ptr<i64>, #o>
  tile.return
}

// -----

#many = #warp.linear<{register = [[1], [2], [4], [8], [16], [32], [64], [128]], lane = [[256], [512], [1024], [2048], [4096]], warp = []}>

// More elements than the registers hold are added in register order.
// CHECK-LABEL: llvm.func @many
tile.func @many(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %v = tile.splat %x : f32 -> tensor<8192xf32, #many>
  // CHECK: %[[A:.*]] = llvm.fadd %arg0, %arg0
  // CHECK: %[[B:.*]] = llvm.fadd %[[A]], %arg0
  // CHECK: llvm.fadd %[[B]], %arg0
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) : (tensor<8192xf32, #many>) -> f32
  tile.store %p, %s : !tile.ptr<f32>
  tile.return
}

// -----

#rows = #warp.linear<{register = [], lane = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16]], warp = [[1, 0], [2, 0]]}>
#row = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[0], [0]]}>

// Partials of 128 bytes, then 16 bytes of padding.
// CHECK-LABEL: llvm.func @columns
tile.func @columns(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %v = tile.splat %x : f32 -> tensor<4x32xf32, #rows>
  // CHECK: %[[SEVEN:.*]] = llvm.mlir.constant(7 : i32)
  // CHECK-NEXT: %[[ROWS:.*]] = llvm.lshr %[[START:.*]], %[[SEVEN]]
  // CHECK: %[[ROOM:.*]] = llvm.mul %[[ROWS]]
  // CHECK-NEXT: llvm.add %[[START]], %[[ROOM]]
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %c = arith.addf %a, %b : f32
    tile.yield %c : f32
  }) {warp.shared_offset = 0 : i32} : (tensor<4x32xf32, #rows>) -> tensor<32xf32, #row>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<32x!tile.ptr<f32>, #row>
  tile.store %ps, %s : tensor<32x!tile.ptr<f32>, #row>
  tile.return
}
