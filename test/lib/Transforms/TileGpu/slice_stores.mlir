// RUN: tilewright-opt %s -split-input-file -tile-gpu-slice-stores=num-warps=1 | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -tile-gpu-slice-stores=num-warps=1 -remark-format=emitRemark -remarks-filter=.* -o /dev/null 2>&1 | FileCheck %s --check-prefix=REMARK

// The longest dimension is cut. Values that do not depend on it are computed before the loop.
// CHECK-LABEL: tile.func @matrix
// CHECK: tile.load %{{.*}} : tensor<16x!tile.ptr<i8>>
// CHECK-NOT: tile.load
// CHECK: scf.for %[[I:.*]] = %c0_i32 to %c1024_i32 step %c64_i32
// CHECK: %[[R:.*]] = tile.range {end = 71 : i32, start = 7 : i32} : tensor<64xi32>
// CHECK: %[[S:.*]] = tile.splat %[[I]] : i32 -> tensor<64xi32>
// CHECK: arith.addi %[[R]], %[[S]] : tensor<64xi32>
// CHECK: tile.broadcast %{{.*}} : tensor<16x1xi1> -> tensor<16x64xi1>
// CHECK: tile.load %{{.*}}, %{{.*}} cache = ca : tensor<16x64x!tile.ptr<f32>>
// CHECK: arith.muli %{{.*}}, %{{.*}} {tile.divisibility = array<i32: 4, 64>} : tensor<16x64xi32>
// CHECK: tile.store %{{.*}}, %{{.*}} : tensor<64x16x!tile.ptr<f32>>
// CHECK: } {tile.num_stages = 1 : i32}
// CHECK-NOT: tensor<16x1024x
// REMARK: {{.*}}: remark: [Passed] Blocks | Category:tile-gpu-slice-stores | Remark="computed in 16 slices, as the block exceeds the registers"
tile.func @matrix(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %m: !tile.ptr<i8>, %n: i32) attributes {tile.kernel} {
  %i = tile.range {start = 7 : i32, end = 1031 : i32} : tensor<1024xi32>
  %j = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ms = tile.splat %m : !tile.ptr<i8> -> tensor<16x!tile.ptr<i8>>
  %mp = tile.addptr %ms, %j : tensor<16x!tile.ptr<i8>>, tensor<16xi32>
  %bytes = tile.load %mp : tensor<16x!tile.ptr<i8>>
  %row = arith.trunci %bytes : tensor<16xi8> to tensor<16xi1>
  %column = tile.expand_dims %row {axis = 1 : i32} : tensor<16xi1> -> tensor<16x1xi1>
  %mask = tile.broadcast %column : tensor<16x1xi1> -> tensor<16x1024xi1>
  %i1 = tile.expand_dims %i {axis = 0 : i32} : tensor<1024xi32> -> tensor<1x1024xi32>
  %i2 = tile.broadcast %i1 : tensor<1x1024xi32> -> tensor<16x1024xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16x1024x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i2 : tensor<16x1024x!tile.ptr<f32>>, tensor<16x1024xi32>
  %v = tile.load %p, %mask cache = ca : tensor<16x1024x!tile.ptr<f32>>
  %ns = tile.splat %n : i32 -> tensor<16x1024xi32>
  %k = arith.muli %i2, %ns {tile.divisibility = array<i32: 4, 1024>} : tensor<16x1024xi32>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16x1024x!tile.ptr<f32>>
  %q = tile.addptr %ys, %k : tensor<16x1024x!tile.ptr<f32>>, tensor<16x1024xi32>
  %vt = tile.transpose %v {order = array<i32: 1, 0>} : tensor<16x1024xf32> -> tensor<1024x16xf32>
  %qt = tile.transpose %q {order = array<i32: 1, 0>} : tensor<16x1024x!tile.ptr<f32>> -> tensor<1024x16x!tile.ptr<f32>>
  tile.store %qt, %vt : tensor<1024x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Stores that share loads share a loop, in which accesses keep their order. Accesses to other arrays stay between
// them. Accesses to one array need the same pointers.
// CHECK-LABEL: tile.func @shared
// CHECK-NOT: tensor<16384x
// CHECK: tile.store %arg2, %arg3
// CHECK: scf.for
// CHECK: %[[V:.*]] = tile.load %[[P:[0-9]+]] : tensor<1024x
// CHECK: tile.store %[[P]]
// CHECK: tile.store
// CHECK-NOT: tensor<16384x
tile.func @shared(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %z: !tile.ptr<f32>, %f: f32) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %q = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  %e = math.exp %v : tensor<16384xf32>
  tile.store %p, %e : tensor<16384x!tile.ptr<f32>>
  tile.store %z, %f : !tile.ptr<f32>
  tile.store %q, %v : tensor<16384x!tile.ptr<f32>>
  tile.return
}

// -----

// A slice must not write what a later one reads.
// CHECK-LABEL: tile.func @shifted
// CHECK-NOT: scf.for
tile.func @shifted(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %j = tile.range {start = 1 : i32, end = 16385 : i32} : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %q = tile.addptr %xs, %j : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  tile.store %q, %v : tensor<16384x!tile.ptr<f32>>
  tile.return
}

// -----

// Nor may a load move past a store to its array.
// CHECK-LABEL: tile.func @between
// CHECK-NOT: scf.for
tile.func @between(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>, %f: f32) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %q = tile.addptr %ys, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  tile.store %x, %f : !tile.ptr<f32>
  tile.store %q, %v : tensor<16384x!tile.ptr<f32>>
  tile.return
}

// -----

// A sum needs all loaded values, and every store needs the sum.
// CHECK-LABEL: tile.func @sum
// CHECK-NOT: scf.for
tile.func @sum(%x: !tile.ptr<f32>, %y: !tile.ptr<f32>) attributes {tile.kernel} {
  %i = tile.range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %v = tile.load %p : tensor<16384x!tile.ptr<f32>>
  %s = "tile.reduce"(%v) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %t = arith.addf %a, %b : f32
    tile.yield %t : f32
  }) : (tensor<16384xf32>) -> f32
  %ss = tile.splat %s : f32 -> tensor<16384xf32>
  %d = arith.divf %v, %ss : tensor<16384xf32>
  tile.store %p, %d : tensor<16384x!tile.ptr<f32>>
  tile.return
}

// -----

// Loop-carried values exist as a whole, and volatile loads stay as they are.
// CHECK-LABEL: tile.func @carried
// CHECK-COUNT-1: scf.for
// CHECK-NOT: scf.for
tile.func @carried(%x: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %i = tile.range {start = 0 : i32, end = 16384 : i32} : tensor<16384xi32>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<16384x!tile.ptr<f32>>
  %p = tile.addptr %xs, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
  %r = scf.for %k = %c0 to %n step %c1 iter_args(%q = %p) -> tensor<16384x!tile.ptr<f32>> : i32 {
    %w = tile.load %q : tensor<16384x!tile.ptr<f32>>
    tile.store %q, %w : tensor<16384x!tile.ptr<f32>>
    %next = tile.addptr %q, %i : tensor<16384x!tile.ptr<f32>>, tensor<16384xi32>
    scf.yield %next : tensor<16384x!tile.ptr<f32>>
  }
  %u = tile.load %p volatile : tensor<16384x!tile.ptr<f32>>
  tile.store %p, %u : tensor<16384x!tile.ptr<f32>>
  tile.return
}

// -----

// Blocks that fill at most half of the registers stay whole. Dimensions of any size are cut as often as they can be
// halved.
// CHECK-LABEL: tile.func @dimensions
// CHECK-NOT: scf.for
// CHECK: tile.store %{{.*}} : tensor<4096x!tile.ptr<i32>>
// CHECK: scf.for %{{.*}} = %c0_i32 to %c12288_i32 step %c768_i32
// CHECK: tile.store %{{.*}} : tensor<768x!tile.ptr<i32>>
// CHECK: tile.store %{{.*}} : tensor<8193x!tile.ptr<i32>>
tile.func @dimensions(%x: !tile.ptr<i32>) attributes {tile.kernel} {
  %a = tile.range {start = 0 : i32, end = 4096 : i32} : tensor<4096xi32>
  %as = tile.splat %x : !tile.ptr<i32> -> tensor<4096x!tile.ptr<i32>>
  tile.store %as, %a : tensor<4096x!tile.ptr<i32>>
  %b = tile.range {start = 0 : i32, end = 12288 : i32} : tensor<12288xi32>
  %bs = tile.splat %x : !tile.ptr<i32> -> tensor<12288x!tile.ptr<i32>>
  tile.store %bs, %b : tensor<12288x!tile.ptr<i32>>
  %c = tile.range {start = 0 : i32, end = 8193 : i32} : tensor<8193xi32>
  %cs = tile.splat %x : !tile.ptr<i32> -> tensor<8193x!tile.ptr<i32>>
  tile.store %cs, %c : tensor<8193x!tile.ptr<i32>>
  tile.return
}
