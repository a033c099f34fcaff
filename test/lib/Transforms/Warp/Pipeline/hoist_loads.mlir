// RUN: tilewright-opt %s -warp-hoist-loads | FileCheck %s

#few = #warp.linear<{register = [], lane = [[1], [2], [4], [8], [16]], warp = [[32], [0]]}>
#other = #warp.linear<{register = [], lane = [[2], [4], [8], [16], [32]], warp = [[1], [0]]}>
#wide = #warp.linear<{register = [[1], [2], [4], [8], [16]], lane = [[32], [64], [128], [256], [512]], warp = [[0], [0]]}>

// A load, with its addresses, moves to before a layout conversion that waits for memory. It stays after loads that it
// depends on.

// CHECK-LABEL: @loads
// CHECK: %[[X:.*]] = tile.load
// CHECK-NEXT: %[[WIDE:.*]] = arith.extf %[[X]]
// CHECK-NEXT: %[[AT:.*]] = tile.addptr
// CHECK-NEXT: %[[Y:.*]] = tile.load %[[AT]]
// CHECK-NEXT: %[[CONVERTED:.*]] = warp.convert_layout %[[WIDE]]
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[CONVERTED]], %[[CONVERTED]]
// CHECK-NEXT: tile.store %{{.*}}, %[[SUM]]
tile.func @loads(%p: tensor<64x!tile.ptr<f16>, #few>, %q: tensor<64x!tile.ptr<f32>, #few>,
    %at: tensor<64xi32, #few>, %r: tensor<64x!tile.ptr<f32>, #other>) attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<f16>, #few>
  %wide = arith.extf %x : tensor<64xf16, #few> to tensor<64xf32, #few>
  %converted = warp.convert_layout %wide : tensor<64xf32, #few> -> tensor<64xf32, #other>
  %sum = arith.addf %converted, %converted : tensor<64xf32, #other>
  %ptrs = tile.addptr %q, %at : tensor<64x!tile.ptr<f32>, #few>, tensor<64xi32, #few>
  %y = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #few>
  tile.store %r, %sum : tensor<64x!tile.ptr<f32>, #other>
  tile.store %q, %y : tensor<64x!tile.ptr<f32>, #few>
  tile.return
}

// A load stays after a store, a barrier, a volatile load, and ops that it depends on. Volatile and large loads do not
// move.

// CHECK-LABEL: @stored
// CHECK: warp.convert_layout
// CHECK-NEXT: tile.store
// CHECK-NEXT: tile.load
tile.func @stored(%p: tensor<64x!tile.ptr<f32>, #few>, %r: tensor<64x!tile.ptr<f32>, #other>)
    attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  %converted = warp.convert_layout %x : tensor<64xf32, #few> -> tensor<64xf32, #other>
  tile.store %r, %converted : tensor<64x!tile.ptr<f32>, #other>
  %y = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  tile.store %p, %y : tensor<64x!tile.ptr<f32>, #few>
  tile.return
}

// CHECK-LABEL: @awaited
// CHECK: warp.convert_layout
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: tile.load
tile.func @awaited(%p: tensor<64x!tile.ptr<f32>, #few>, %r: tensor<64x!tile.ptr<f32>, #other>)
    attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  %converted = warp.convert_layout %x : tensor<64xf32, #few> -> tensor<64xf32, #other>
  warp.barrier
  %y = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  tile.store %r, %converted : tensor<64x!tile.ptr<f32>, #other>
  tile.store %p, %y : tensor<64x!tile.ptr<f32>, #few>
  tile.return
}

// CHECK-LABEL: @volatile
// CHECK: warp.convert_layout
// CHECK-NEXT: tile.load
// CHECK-SAME: volatile
// CHECK-NEXT: tile.load
tile.func @volatile(%p: tensor<64x!tile.ptr<f32>, #few>, %r: tensor<64x!tile.ptr<f32>, #other>)
    attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  %converted = warp.convert_layout %x : tensor<64xf32, #few> -> tensor<64xf32, #other>
  %y = tile.load %p volatile : tensor<64x!tile.ptr<f32>, #few>
  %z = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  %sum = arith.addf %y, %z : tensor<64xf32, #few>
  tile.store %r, %converted : tensor<64x!tile.ptr<f32>, #other>
  tile.store %p, %sum : tensor<64x!tile.ptr<f32>, #few>
  tile.return
}

// CHECK-LABEL: @gathered
// CHECK: %[[INDEX:.*]] = warp.convert_layout
// CHECK-NEXT: %[[AT:.*]] = tile.addptr %{{.*}}, %[[INDEX]]
// CHECK-NEXT: tile.load %[[AT]]
tile.func @gathered(%p: tensor<64x!tile.ptr<i32>, #few>, %r: tensor<64x!tile.ptr<f32>, #other>)
    attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<i32>, #few>
  %converted = warp.convert_layout %x : tensor<64xi32, #few> -> tensor<64xi32, #other>
  %ptrs = tile.addptr %r, %converted : tensor<64x!tile.ptr<f32>, #other>, tensor<64xi32, #other>
  %y = tile.load %ptrs : tensor<64x!tile.ptr<f32>, #other>
  tile.store %r, %y : tensor<64x!tile.ptr<f32>, #other>
  tile.return
}

// CHECK-LABEL: @large
// CHECK: warp.convert_layout
// CHECK-NEXT: tile.load
tile.func @large(%p: tensor<64x!tile.ptr<f32>, #few>, %q: tensor<1024x!tile.ptr<f32>, #wide>,
    %r: tensor<64x!tile.ptr<f32>, #other>) attributes {warp.num_warps = 4 : i32} {
  %x = tile.load %p : tensor<64x!tile.ptr<f32>, #few>
  %converted = warp.convert_layout %x : tensor<64xf32, #few> -> tensor<64xf32, #other>
  %y = tile.load %q : tensor<1024x!tile.ptr<f32>, #wide>
  tile.store %r, %converted : tensor<64x!tile.ptr<f32>, #other>
  tile.store %q, %y : tensor<1024x!tile.ptr<f32>, #wide>
  tile.return
}
