// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp | FileCheck %s

// Row numbers are needed along rows and along columns. They are computed twice and never moved.
// CHECK-LABEL: tile.func @recompute
// CHECK-COUNT-2: tile.range {{.*}} : tensor<64xi32
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @recompute(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = arith.muli %r1, %c64 : tensor<64x1xi32>
  %r2 = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %x : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A scale that is only broadcast over rows is loaded by every thread that needs it.
// CHECK-LABEL: tile.func @spread
// CHECK: tile.load {{.*}} : tensor<64x!tile.ptr<f16>, #[[SLICE:.*]]>
// CHECK: tile.expand_dims {{.*}} : tensor<64xf16, #[[SLICE]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @spread(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = arith.muli %r1, %c64 : tensor<64x1xi32>
  %r2 = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f16>>
  %ws = tile.splat %w : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %wq = tile.addptr %ws, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %s = tile.load %wq : tensor<64x!tile.ptr<f16>>
  %s1 = tile.expand_dims %s {axis = 0 : i32} : tensor<64xf16> -> tensor<1x64xf16>
  %s2 = tile.broadcast %s1 : tensor<1x64xf16> -> tensor<64x64xf16>
  %y = arith.mulf %x, %s2 : tensor<64x64xf16>
  tile.store %q, %y : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// So is one in a row that is broadcast, even if a loop carries its offsets.
// CHECK-LABEL: tile.func @spread_row
// CHECK: scf.for
// CHECK-NOT: warp.convert_layout
// CHECK: tile.load {{.*}} : tensor<1x64x!tile.ptr<f16>, #[[ROW:.*]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.broadcast {{.*}} : tensor<1x64xf16, #[[ROW]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @spread_row(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %factor = arith.constant dense<64> : tensor<64x1xi32>
  %step = arith.constant dense<64> : tensor<1x64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rs = arith.muli %r1, %factor : tensor<64x1xi32>
  %r2 = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.broadcast %c1 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f16>>
  %ws = tile.splat %w : !tile.ptr<f16> -> tensor<1x64x!tile.ptr<f16>>
  %w0 = tile.addptr %ws, %c1 : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
  %y, %last = scf.for %i = %c0 to %n step %c64 iter_args(%y0 = %x, %at = %w0) -> (tensor<64x64xf16>, tensor<1x64x!tile.ptr<f16>>) : i32 {
    %s = tile.load %at : tensor<1x64x!tile.ptr<f16>>
    %s2 = tile.broadcast %s : tensor<1x64xf16> -> tensor<64x64xf16>
    %y1 = arith.mulf %y0, %s2 : tensor<64x64xf16>
    %next = tile.addptr %at, %step : tensor<1x64x!tile.ptr<f16>>, tensor<1x64xi32>
    scf.yield %y1, %next : tensor<64x64xf16>, tensor<1x64x!tile.ptr<f16>>
  }
  tile.store %q, %y : tensor<64x64x!tile.ptr<f16>>
  tile.return
}

// -----

// The use of a loaded index determines its layout, whatever else uses its address. Threads that need it elsewhere
// load it again.
// CHECK-LABEL: tile.func @index
// CHECK-COUNT-2: tile.load {{.*}} : tensor<64x!tile.ptr<i32>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @index(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %n = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c1 = tile.expand_dims %n {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %ws = tile.splat %w : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %wq = tile.addptr %ws, %r : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %i = tile.load %wq : tensor<64x!tile.ptr<i32>>
  %i1 = tile.expand_dims %i {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %is = arith.muli %i1, %c64 : tensor<64x1xi32>
  %i2 = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.broadcast %c : tensor<1x64xi32> -> tensor<64x64xi32>
  %at = arith.addi %i2, %c2 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %ps, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f16>>
  %os = tile.splat %o : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %oq = tile.addptr %os, %at : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  tile.store %oq, %x : tensor<64x64x!tile.ptr<f16>>
  %i3 = tile.broadcast %is : tensor<64x1xi32> -> tensor<64x16xi32>
  %c3 = tile.broadcast %c1 : tensor<1x16xi32> -> tensor<64x16xi32>
  %at2 = arith.addi %i3, %c3 : tensor<64x16xi32>
  %ps2 = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %q2 = tile.addptr %ps2, %at2 : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
  %y = tile.load %q2 : tensor<64x16x!tile.ptr<f16>>
  %os2 = tile.splat %o : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %oq2 = tile.addptr %os2, %at2 : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
  tile.store %oq2, %y : tensor<64x16x!tile.ptr<f16>>
  tile.return
}

// -----

// A tile that was loaded as rows is converted to an operand once, before the loop, as f16 before it is extended.
// CHECK-LABEL: tile.func @hoisted
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<16x16x!tile.ptr<f16>
// CHECK: %[[C:.*]] = warp.convert_layout %[[X]] : tensor<16x16xf16
// CHECK: %[[F:.*]] = arith.extf %[[C]]
// CHECK: scf.for
// CHECK-NOT: warp.convert_layout
// CHECK: tile.dot %[[F]]
tile.func @hoisted(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %one = arith.constant dense<1.0> : tensor<16x16xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %o = tile.reshape %r : tensor<256xi32> -> tensor<16x16xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>>
  %q = tile.addptr %ps, %o : tensor<16x16x!tile.ptr<f16>>, tensor<16x16xi32>
  %x = tile.load %q : tensor<16x16x!tile.ptr<f16>>
  %f = arith.extf %x : tensor<16x16xf16> to tensor<16x16xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %one) -> tensor<16x16xf32> : i32 {
    %d = tile.dot %f, %one, %acc : tensor<16x16xf32>, tensor<16x16xf32>, tensor<16x16xf32>
    scf.yield %d : tensor<16x16xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>>
  tile.store %os, %sum : tensor<16x16x!tile.ptr<f32>>
  tile.return
}

// -----

// Both branches and the carried values of a `while` have the layout of the store.
// CHECK-LABEL: tile.func @control_flow
// CHECK: %[[IF:.*]] = scf.if {{.*}} -> (tensor<256xf32, #[[L:.*]]>)
// CHECK: scf.while (%{{.*}} = %[[IF]], {{.*}}) : (tensor<256xf32, #[[L]]>, i32) -> tensor<256xf32, #[[L]]>
// CHECK: ^bb0(%{{.*}}: tensor<256xf32, #[[L]]>):
// CHECK: tile.store {{.*}} : tensor<256x!tile.ptr<f32>, #[[L]]>
// CHECK-NOT: warp.convert_layout
tile.func @control_flow(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: i1, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<256xf32>
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>>
  %q = tile.addptr %ps, %r : tensor<256x!tile.ptr<f32>>, tensor<256xi32>
  %x = scf.if %c -> tensor<256xf32> {
    %l = tile.load %q : tensor<256x!tile.ptr<f32>>
    scf.yield %l : tensor<256xf32>
  } else {
    scf.yield %zero : tensor<256xf32>
  }
  %y = scf.while (%v = %x, %i = %c0) : (tensor<256xf32>, i32) -> tensor<256xf32> {
    %more = arith.cmpi slt, %i, %n : i32
    scf.condition(%more) %v : tensor<256xf32>
  } do {
  ^bb0(%v: tensor<256xf32>):
    %s = arith.addf %v, %v : tensor<256xf32>
    scf.yield %s, %c1 : tensor<256xf32>, i32
  }
  tile.store %q, %y : tensor<256x!tile.ptr<f32>>
  tile.return
}

// -----

// Constants whose elements differ keep their values.
// CHECK-LABEL: tile.func @constants
// CHECK: arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32, #{{.*}}>
tile.func @constants(%p: !tile.ptr<i32>) attributes {tile.kernel} {
  %c = arith.constant dense<[1, 2, 3, 4]> : tensor<4xi32>
  %ps = tile.splat %p : !tile.ptr<i32> -> tensor<4x!tile.ptr<i32>>
  tile.store %ps, %c : tensor<4x!tile.ptr<i32>>
  tile.return
}

// -----

// Tiles that are joined are not moved: each thread holds both elements of a pair.
// CHECK-LABEL: tile.func @joined
// CHECK: tile.load
// CHECK-NOT: warp.convert_layout
// CHECK: tile.store
tile.func @joined(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %q: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %i = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %j = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %rows = arith.muli %i, %c64 : tensor<64x1xi32>
  %rs = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %cs = tile.broadcast %j : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %rs, %cs : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %at = tile.addptr %ps, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %x = tile.load %at : tensor<64x64x!tile.ptr<f16>>
  %y = arith.negf %x : tensor<64x64xf16>
  %x1 = tile.expand_dims %x {axis = 2 : i32} : tensor<64x64xf16> -> tensor<64x64x1xf16>
  %y1 = tile.expand_dims %y {axis = 2 : i32} : tensor<64x64xf16> -> tensor<64x64x1xf16>
  %x2 = tile.broadcast %x1 : tensor<64x64x1xf16> -> tensor<64x64x2xf16>
  %y2 = tile.broadcast %y1 : tensor<64x64x1xf16> -> tensor<64x64x2xf16>
  %z = arith.addf %x2, %y2 : tensor<64x64x2xf16>
  %flat = tile.reshape %z : tensor<64x64x2xf16> -> tensor<64x128xf16>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  tile.store %qs, %flat : tensor<64x128x!tile.ptr<f16>>
  tile.return
}

// -----

// A page table is indexed by divisions by the page length, which are cheap. The offsets are needed in two layouts and
// never moved. Shared steps are counted once.
// CHECK-LABEL: tile.func @pages
// CHECK-COUNT-2: tile.load {{.*}} : tensor<64x!tile.ptr<i32>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @pages(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %table: !tile.ptr<i32>, %n: i32, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %zero = arith.constant dense<0> : tensor<64xi32>
  %c64 = arith.constant dense<64> : tensor<64x1xi32>
  %c64r = arith.constant dense<64> : tensor<1x64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %first = tile.splat %n : i32 -> tensor<64xi32>
  %at = arith.addi %r, %first : tensor<64xi32>
  %inside = arith.cmpi slt, %at, %first : tensor<64xi32>
  %page = arith.divsi %at, %c16 : tensor<64xi32>
  %ts = tile.splat %table : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %tq = tile.addptr %ts, %page : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %number = tile.load %tq, %inside, %zero : tensor<64x!tile.ptr<i32>>
  %begin = arith.muli %number, %c16 : tensor<64xi32>
  %rest = arith.remsi %at, %c16 : tensor<64xi32>
  %slot = arith.addi %begin, %rest : tensor<64xi32>
  %r16 = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c = tile.expand_dims %r16 {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %d = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %p1 = tile.expand_dims %slot {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %p2 = arith.muli %p1, %c64 : tensor<64x1xi32>
  %p3 = tile.broadcast %p2 : tensor<64x1xi32> -> tensor<64x16xi32>
  %c3 = tile.broadcast %c : tensor<1x16xi32> -> tensor<64x16xi32>
  %v = arith.addi %p3, %c3 : tensor<64x16xi32>
  %q1 = tile.expand_dims %slot {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %q2 = arith.muli %q1, %c64r : tensor<1x64xi32>
  %q3 = tile.broadcast %q2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %d3 = tile.broadcast %d : tensor<64x1xi32> -> tensor<64x64xi32>
  %k = arith.addi %q3, %d3 : tensor<64x64xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ps2 = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %kq = tile.addptr %ps, %k : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %vq = tile.addptr %ps2, %v : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
  %kx = tile.load %kq : tensor<64x64x!tile.ptr<f16>>
  %vx = tile.load %vq : tensor<64x16x!tile.ptr<f16>>
  %os = tile.splat %o : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %ok = tile.addptr %os, %k : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %os2 = tile.splat %o : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %ov = tile.addptr %os2, %v : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi32>
  tile.store %ok, %kx : tensor<64x64x!tile.ptr<f16>>
  tile.store %ov, %vx : tensor<64x16x!tile.ptr<f16>>
  tile.return
}

// -----

// All threads that need the page offsets look them up, however long that takes to compute: addresses that go through
// shared memory could not be prefetched.
// CHECK-LABEL: tile.func @pages
// CHECK-COUNT-2: tile.load {{.*}} : tensor<64x!tile.ptr<i32>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.return
tile.func @pages(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %o: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %stride: i64 {tile.divisibility = 16 : i32}, %head: i64 {tile.divisibility = 16 : i32}, %start: i32) attributes {tile.kernel} {
  %c16 = arith.constant dense<16> : tensor<64xi32>
  %c128 = arith.constant dense<128> : tensor<64xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %first = tile.splat %start : i32 -> tensor<64xi32>
  %t = arith.addi %first, %r : tensor<64xi32>
  %number = arith.divsi %t, %c16 : tensor<64xi32>
  %inside = arith.remsi %t, %c16 : tensor<64xi32>
  %ws = tile.splat %w : !tile.ptr<i32> -> tensor<64x!tile.ptr<i32>>
  %wq = tile.addptr %ws, %number : tensor<64x!tile.ptr<i32>>, tensor<64xi32>
  %page = tile.load %wq : tensor<64x!tile.ptr<i32>>
  %page64 = arith.extsi %page : tensor<64xi32> to tensor<64xi64>
  %strides = tile.splat %stride : i64 -> tensor<64xi64>
  %heads = tile.splat %head : i64 -> tensor<64xi64>
  %of_page = arith.muli %page64, %strides : tensor<64xi64>
  %of_head = arith.addi %of_page, %heads : tensor<64xi64>
  %in = arith.muli %inside, %c128 : tensor<64xi32>
  %in64 = arith.extsi %in : tensor<64xi32> to tensor<64xi64>
  %at = arith.addi %of_head, %in64 : tensor<64xi64>
  %d64 = arith.extsi %r : tensor<64xi32> to tensor<64xi64>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %os = tile.splat %o : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %at1 = tile.expand_dims %at {axis = 1 : i32} : tensor<64xi64> -> tensor<64x1xi64>
  %at2 = tile.broadcast %at1 : tensor<64x1xi64> -> tensor<64x64xi64>
  %d1 = tile.expand_dims %d64 {axis = 0 : i32} : tensor<64xi64> -> tensor<1x64xi64>
  %d2 = tile.broadcast %d1 : tensor<1x64xi64> -> tensor<64x64xi64>
  %rows = arith.addi %at2, %d2 : tensor<64x64xi64>
  %q = tile.addptr %ps, %rows : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi64>
  %x = tile.load %q : tensor<64x64x!tile.ptr<f16>>
  %oq = tile.addptr %os, %rows : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi64>
  tile.store %oq, %x : tensor<64x64x!tile.ptr<f16>>
  %n = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %n64 = arith.extsi %n : tensor<16xi32> to tensor<16xi64>
  %n1 = tile.expand_dims %n64 {axis = 0 : i32} : tensor<16xi64> -> tensor<1x16xi64>
  %n2 = tile.broadcast %n1 : tensor<1x16xi64> -> tensor<64x16xi64>
  %at3 = tile.broadcast %at1 : tensor<64x1xi64> -> tensor<64x16xi64>
  %narrow = arith.addi %at3, %n2 : tensor<64x16xi64>
  %ps2 = tile.splat %p : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %q2 = tile.addptr %ps2, %narrow : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi64>
  %y = tile.load %q2 : tensor<64x16x!tile.ptr<f16>>
  %os2 = tile.splat %o : !tile.ptr<f16> -> tensor<64x16x!tile.ptr<f16>>
  %oq2 = tile.addptr %os2, %narrow : tensor<64x16x!tile.ptr<f16>>, tensor<64x16xi64>
  tile.store %oq2, %y : tensor<64x16x!tile.ptr<f16>>
  tile.return
}

// -----

// A number per row that is added to the sum of the row is loaded by the threads that have the sum. It does not go
// through shared memory.
// CHECK-LABEL: tile.func @with_row_sums
// CHECK-NOT: warp.convert_layout
// CHECK: "tile.reduce"
// CHECK: -> tensor<64xf32, #[[ROWS:.*]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.load {{.*}} : tensor<64x!tile.ptr<f32>, #[[ROWS]]>
// CHECK-NOT: warp.convert_layout
// CHECK: tile.store {{.*}} : tensor<64x!tile.ptr<f32>, #[[ROWS]]>
tile.func @with_row_sums(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %w: !tile.ptr<f32> {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %c16 = arith.constant dense<16> : tensor<64x1xi32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %c1 = tile.expand_dims %c {axis = 0 : i32} : tensor<16xi32> -> tensor<1x16xi32>
  %rs = arith.muli %r1, %c16 : tensor<64x1xi32>
  %r2 = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x16xi32>
  %c2 = tile.broadcast %c1 : tensor<1x16xi32> -> tensor<64x16xi32>
  %o = arith.addi %r2, %c2 : tensor<64x16xi32>
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<64x16x!tile.ptr<f32>>
  %q = tile.addptr %ps, %o : tensor<64x16x!tile.ptr<f32>>, tensor<64x16xi32>
  %x = tile.load %q : tensor<64x16x!tile.ptr<f32>>
  %sums = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %ab = arith.addf %a, %b : f32
    tile.yield %ab : f32
  }) : (tensor<64x16xf32>) -> tensor<64xf32>
  %ws = tile.splat %w : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
  %wq = tile.addptr %ws, %r : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
  %d = tile.load %wq : tensor<64x!tile.ptr<f32>>
  %y = arith.addf %sums, %d : tensor<64xf32>
  tile.store %wq, %y : tensor<64x!tile.ptr<f32>>
  tile.return
}
