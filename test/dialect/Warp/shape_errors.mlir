// RUN: tilewright-opt -split-input-file -verify-diagnostics %s

// The tile ops that change shapes do not move elements between threads; warp.convert_layout does.

// Lane i holds row i and would have to hold row i / 2.
#row_per_lane = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
#column_pairs = #warp.linear<{register = [[0, 1], [16, 0]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [], block = []}>
tile.func @broadcast(%x: tensor<32x1xf32, #row_per_lane>) {
  // expected-error @below {{moves elements between threads: 'tensor<32x1xf32, }}
  %0 = tile.broadcast %x : tensor<32x1xf32, #row_per_lane> -> tensor<32x4xf32, #column_pairs>
  tile.return
}

// -----

// A tile without a layout has no threads that hold its elements.
#lanes = #warp.linear<{register = [], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
tile.func @broadcast_plain(%x: tensor<32x1xf32>) {
  // expected-error @below {{moves elements between threads}}
  %0 = tile.broadcast %x : tensor<32x1xf32> -> tensor<32x1xf32, #lanes>
  tile.return
}

// -----

// Consecutive elements move from one lane's registers to different lanes.
#in_registers = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [], block = []}>
#over_lanes = #warp.linear<{register = [[32, 0], [64, 0]], lane = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
tile.func @reshape(%x: tensor<128xf32, #in_registers>) {
  // expected-error @below {{moves elements between threads: 'tensor<128xf32, }}
  %0 = tile.reshape %x : tensor<128xf32, #in_registers> -> tensor<128x1xf32, #over_lanes>
  tile.return
}

// -----

// The result's layout must be the inferred one.
#lanes = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [], block = []}>
#other = #warp.linear<{register = [], lane = [[2, 0], [1, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
tile.func @expand(%x: tensor<32xf32, #lanes>) {
  // expected-error @+2 {{are incompatible with return type(s) of operation}}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x {axis = 1 : i32} : tensor<32xf32, #lanes> -> tensor<32x1xf32, #other>
  tile.return
}

// -----

// Layouts have up to twenty dimensions.
#rank20 = #warp.linear<{register = [], lane = [[1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [2, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [4, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [8, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0], [16, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0]]}>
tile.func @rank(%x: tensor<32x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32, #rank20>) {
  // expected-error @+2 {{no layout follows from 'tensor<32x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32, }}
  // expected-error @below {{failed to infer returned types}}
  %0 = tile.expand_dims %x {axis = 20 : i32} : tensor<32x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32, #rank20> -> tensor<32x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1x1xf32>
  tile.return
}
