// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp=num-warps=1 | FileCheck %s

// f16 elements come in vectors of eight. The f32 elements used with them take
// the same layout in two accesses, so that nothing moves.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = [], block = []}>
// CHECK-LABEL: tile.func @mixed
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #[[L]]>
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: warp.convert_layout
tile.func @mixed(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %qq = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %pp : tensor<256x!tile.ptr<f16>>
  %y = tile.load %qq : tensor<256x!tile.ptr<f32>>
  %f = arith.extf %x : tensor<256xf16> to tensor<256xf32>
  %s = arith.addf %f, %y : tensor<256xf32>
  tile.store %qq, %s : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// A mask that may end anywhere leaves single elements, with neighbours in
// lanes.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}32], [64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = [], block = []}>
// CHECK-LABEL: tile.func @ragged
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f32>, #[[L]]>
tile.func @ragged(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ns = tile.splat %n : i32 -> tensor<256xi32>
  %mask = arith.cmpi slt, %r, %ns : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %q, %mask : tensor<256x!tile.ptr<f32>>
  tile.store %q, %x, %mask : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// A small tile is spread over all threads rather than taken in wide vectors.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1]], lane = {{\[\[}}2], [4], [8], [16], [32]], warp = [], block = []}>
// CHECK-LABEL: tile.func @small
// CHECK: tile.load {{.*}} : tensor<64x!tile.ptr<f32>, #[[L]]>
tile.func @small(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %x = tile.load %q : tensor<64x!tile.ptr<f32>>
  tile.store %q, %x : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// Values read through loaded indices are loaded in the layout of their use.
// CHECK-LABEL: tile.func @gather
// CHECK: %[[I:.*]] = tile.load {{.*}} : tensor<256x!tile.ptr<i32>, #[[L:.*]]>
// CHECK: tile.addptr %{{.*}}, %[[I]]
// CHECK: tile.load {{.*}} : tensor<256x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: warp.convert_layout
tile.func @gather(%p: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<256x!tile.ptr<i32>>
  %pp = tile.addptr %ps, %r : tensor<256x!tile.ptr<i32>>, tensor<256xi32>
  %i = tile.load %pp : tensor<256x!tile.ptr<i32>>
  %qs = tile.splat %q : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %qi = tile.addptr %qs, %i : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = tile.load %qi : tensor<256x!tile.ptr<f32>>
  %qq = tile.addptr %qs, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  tile.store %qq, %x : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// Tiles that are contiguous along columns are accessed along columns.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1, 0], [2, 0], {{.*}}, lane = {{\[\[}}4, 0], [8, 0],
// CHECK-LABEL: tile.func @columns
// CHECK: tile.load {{.*}} : tensor<64x64x!tile.ptr<f32>, #[[L]]>
tile.func @columns(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<1x64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %cs = arith.muli %c1, %c64 : tensor<1x64xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.broadcast %cs : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %x : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Atomics take one element at a time, from as many threads as there are.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}32]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = [], block = []}>
// CHECK-LABEL: tile.func @atomics
// CHECK: tile.atomic_rmw {{.*}} : tensor<64x!tile.ptr<f32>, #[[L]]>
tile.func @atomics(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %one = arith.constant dense<1.0> : tensor<64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %old = tile.atomic_rmw fadd relaxed gpu %q, %one : tensor<64x!tile.ptr<f32>>
  tile.return
}

// -----

// Rows that wrap around at a width known only at launch are most likely
// adjacent. A step of nine elements is shorter than one of unknown length.
// CHECK-DAG: #[[ROWS:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [0, 2], [0, 4]], lane = {{\[\[}}1, 0], [2, 0], [4, 0], [8, 0], [16, 0]], warp = [], block = []}>
// CHECK-LABEL: tile.func @wrapped
// CHECK: tile.load {{.*}} : tensor<32x8x!tile.ptr<f16>, #[[ROWS]]>
// CHECK-LABEL: tile.func @near
// CHECK: tile.load {{.*}} : tensor<32x8x!tile.ptr<f16>, #[[ROWS]]>
tile.func @wrapped(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: i32, %s: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %k = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %ws = tile.splat %w : i32 -> tensor<32xi32>
  %ss = tile.splat %s : i32 -> tensor<8xi32>
  %m = arith.remsi %r, %ws : tensor<32xi32>
  %far = arith.muli %k, %ss : tensor<8xi32>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k0 = tile.expand_dims %far {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %m2 = tile.broadcast %m1 : tensor<32x1xi32> -> tensor<32x8xi32>
  %k2 = tile.broadcast %k0 : tensor<1x8xi32> -> tensor<32x8xi32>
  %at = arith.addi %m2, %k2 : tensor<32x8xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x8x!tile.ptr<f16>>
  %q = tile.addptr %ps, %at : tensor<32x8x!tile.ptr<f16>>, tensor<32x8xi32>
  %x = tile.load %q : tensor<32x8x!tile.ptr<f16>>
  tile.store %q, %x : tensor<32x8x!tile.ptr<f16>>
  tile.return
}
tile.func @near(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %s: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  %k = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %nine = arith.constant dense<9> : tensor<32xi32>
  %ss = tile.splat %s : i32 -> tensor<8xi32>
  %m = arith.muli %r, %nine : tensor<32xi32>
  %far = arith.muli %k, %ss : tensor<8xi32>
  %m1 = tile.expand_dims %m {axis = 1 : i32} : tensor<32xi32> -> tensor<32x1xi32>
  %k0 = tile.expand_dims %far {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %m2 = tile.broadcast %m1 : tensor<32x1xi32> -> tensor<32x8xi32>
  %k2 = tile.broadcast %k0 : tensor<1x8xi32> -> tensor<32x8xi32>
  %at = arith.addi %m2, %k2 : tensor<32x8xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<32x8x!tile.ptr<f16>>
  %q = tile.addptr %ps, %at : tensor<32x8x!tile.ptr<f16>>, tensor<32x8xi32>
  %x = tile.load %q : tensor<32x8x!tile.ptr<f16>>
  tile.store %q, %x : tensor<32x8x!tile.ptr<f16>>
  tile.return
}

// -----

// One of three loads begins at a multiple of eight elements. Where most loads
// take single elements, lanes read neighbours.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}32], [64], [128]], lane = {{\[\[}}1], [2], [4], [8], [16]], warp = [], block = []}>
// CHECK-LABEL: tile.func @taps
// CHECK-COUNT-3: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #[[L]]>
tile.func @taps(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %one = arith.constant 3 : i32
  %two = arith.constant 5 : i32
  %range = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ones = tile.splat %one : i32 -> tensor<256xi32>
  %twos = tile.splat %two : i32 -> tensor<256xi32>
  %second = arith.addi %range, %ones : tensor<256xi32>
  %third = arith.addi %range, %twos : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %p0 = tile.addptr %xs, %range : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %p1 = tile.addptr %xs, %second : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %p2 = tile.addptr %xs, %third : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %v0 = tile.load %p0 : tensor<256x!tile.ptr<f16>>
  %v1 = tile.load %p1 : tensor<256x!tile.ptr<f16>>
  %v2 = tile.load %p2 : tensor<256x!tile.ptr<f16>>
  %s = arith.addf %v0, %v1 : tensor<256xf16>
  %t = arith.addf %s, %v2 : tensor<256xf16>
  tile.print "sum: ", %t {isSigned = array<i1: true>} : tensor<256xf16>
  tile.return
}

// -----

// Two of three loads do: threads take eight elements together.
// CHECK-DAG: #[[L:.*]] = #warp.linear<{register = {{\[\[}}1], [2], [4]], lane = {{\[\[}}8], [16], [32], [64], [128]], warp = [], block = []}>
// CHECK-LABEL: tile.func @most_together
// CHECK-COUNT-3: tile.load {{.*}} : tensor<256x!tile.ptr<f16>, #[[L]]>
tile.func @most_together(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %one = arith.constant 8 : i32
  %two = arith.constant 5 : i32
  %range = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ones = tile.splat %one : i32 -> tensor<256xi32>
  %twos = tile.splat %two : i32 -> tensor<256xi32>
  %second = arith.addi %range, %ones : tensor<256xi32>
  %third = arith.addi %range, %twos : tensor<256xi32>
  %xs = tile.splat %x : !tile.ptr<f16> -> tensor<256x!tile.ptr<f16>>
  %p0 = tile.addptr %xs, %range : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %p1 = tile.addptr %xs, %second : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %p2 = tile.addptr %xs, %third : tensor<256x!tile.ptr<f16>>, tensor<256xi32>
  %v0 = tile.load %p0 : tensor<256x!tile.ptr<f16>>
  %v1 = tile.load %p1 : tensor<256x!tile.ptr<f16>>
  %v2 = tile.load %p2 : tensor<256x!tile.ptr<f16>>
  %s = arith.addf %v0, %v1 : tensor<256xf16>
  %t = arith.addf %s, %v2 : tensor<256xf16>
  tile.print "sum: ", %t {isSigned = array<i1: true>} : tensor<256xf16>
  tile.return
}

// -----

// Bytes of two 4-bit numbers each: a thread has both numbers of a byte. The
// threads of a warp lie along the bytes, not along rows that are far apart. If
// all rows are in one group, nothing is known about distances.
// CHECK-DAG: #[[BYTES:.*]] = #warp.linear<{register = {{\[\[}}1, 0], [0, 1], [0, 2], [0, 4]], lane = {{\[\[}}2, 0], [4, 0], [8, 0], [16, 0], [32, 0]], warp = [], block = []}>
// CHECK-DAG: #[[GROUPS:.*]] = #warp.linear<{register = {{\[\[}}4, 0], [8, 0], [16, 0], [32, 0]], lane = {{\[\[}}0, 1], [0, 2], [0, 4], [1, 0], [2, 0]], warp = [], block = []}>
// CHECK-LABEL: tile.func @nibbles
// CHECK: tile.load {{.*}} : tensor<64x8x!tile.ptr<i8>, #[[BYTES]]>
// CHECK-LABEL: tile.func @group
// CHECK: tile.load {{.*}} : tensor<64x8x!tile.ptr<i8>, #[[GROUPS]]>
tile.func @nibbles(%p: !tile.ptr<i8>, %stride: i32) attributes {tile.kernel} {
  %k = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %two = arith.constant dense<2> : tensor<64xi32>
  %byte = arith.divsi %k, %two : tensor<64xi32>
  %b1 = tile.expand_dims %byte {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %b2 = tile.broadcast %b1 : tensor<64x1xi32> -> tensor<64x8xi32>
  %n = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %s = tile.splat %stride : i32 -> tensor<8xi32>
  %far = arith.muli %n, %s : tensor<8xi32>
  %f1 = tile.expand_dims %far {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %f2 = tile.broadcast %f1 : tensor<1x8xi32> -> tensor<64x8xi32>
  %at = arith.addi %b2, %f2 : tensor<64x8xi32>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<64x8x!tile.ptr<i8>>
  %q = tile.addptr %ps, %at : tensor<64x8x!tile.ptr<i8>>, tensor<64x8xi32>
  %x = tile.load %q : tensor<64x8x!tile.ptr<i8>>
  tile.store %q, %x : tensor<64x8x!tile.ptr<i8>>
  tile.return
}
tile.func @group(%p: !tile.ptr<i8>, %stride: i32) attributes {tile.kernel} {
  %k = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %width = arith.constant dense<128> : tensor<64xi32>
  %group = arith.divsi %k, %width : tensor<64xi32>
  %b1 = tile.expand_dims %group {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %b2 = tile.broadcast %b1 : tensor<64x1xi32> -> tensor<64x8xi32>
  %n = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %s = tile.splat %stride : i32 -> tensor<8xi32>
  %far = arith.muli %n, %s : tensor<8xi32>
  %f1 = tile.expand_dims %far {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %f2 = tile.broadcast %f1 : tensor<1x8xi32> -> tensor<64x8xi32>
  %at = arith.addi %b2, %f2 : tensor<64x8xi32>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<64x8x!tile.ptr<i8>>
  %q = tile.addptr %ps, %at : tensor<64x8x!tile.ptr<i8>>, tensor<64x8xi32>
  %x = tile.load %q : tensor<64x8x!tile.ptr<i8>>
  tile.store %q, %x : tensor<64x8x!tile.ptr<i8>>
  tile.return
}
