// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp='num-warps=4 compute-capability=80' | FileCheck %s

// Byte weights that a loop loads are converted to an operand. They are stored as loaded and read in the layout of the
// dot. The scales of the accumulators stay in registers.

// CHECK-LABEL: @converted
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<16x64x!tile.ptr<f16>
// CHECK: %[[W:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<i8>
// CHECK: %[[M:.*]] = warp.alloc %[[W]] : {{.*}} -> !warp.shared<64x64xi8
// CHECK: %[[R:.*]] = warp.local_load %[[M]]
// CHECK: arith.sitofp %[[R]]
// CHECK: warp.mma
// CHECK: tile.load {{.*}} : tensor<64x!tile.ptr<f32>
// CHECK-NOT: warp.alloc
// CHECK: scf.yield
tile.func @converted(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %w: !tile.ptr<i8> {tile.divisibility = 16 : i32},
    %s: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %r16 = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %r64 = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %l16 = arith.constant dense<64> : tensor<16x1xi32>
  %l64 = arith.constant dense<64> : tensor<64x1xi32>
  %row = tile.expand_dims %r16 {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %rows = arith.muli %row, %l16 : tensor<16x1xi32>
  %column = tile.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %xr = tile.broadcast %rows : tensor<16x1xi32> -> tensor<16x64xi32>
  %xc = tile.broadcast %column : tensor<1x64xi32> -> tensor<16x64xi32>
  %xo = arith.addi %xr, %xc : tensor<16x64xi32>
  %deep = tile.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %deeps = arith.muli %deep, %l64 : tensor<64x1xi32>
  %wr = tile.broadcast %deeps : tensor<64x1xi32> -> tensor<64x64xi32>
  %wc = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %wo = arith.addi %wr, %wc : tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %c1024 = arith.constant 1024 : i32
    %far = arith.muli %i, %c1024 : i32
    %xi = tile.addptr %x, %far : !tile.ptr<f16>, i32
    %xs = tile.splat %xi : !tile.ptr<f16> -> tensor<16x64x!tile.ptr<f16>>
    %xp = tile.addptr %xs, %xo : tensor<16x64x!tile.ptr<f16>>, tensor<16x64xi32>
    %a = tile.load %xp : tensor<16x64x!tile.ptr<f16>>
    %wi = tile.addptr %w, %far : !tile.ptr<i8>, i32
    %ws = tile.splat %wi : !tile.ptr<i8> -> tensor<64x64x!tile.ptr<i8>>
    %wp = tile.addptr %ws, %wo : tensor<64x64x!tile.ptr<i8>>, tensor<64x64xi32>
    %q = tile.load %wp : tensor<64x64x!tile.ptr<i8>>
    %f = arith.sitofp %q : tensor<64x64xi8> to tensor<64x64xf16>
    %d = tile.dot %a, %f, %acc : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    %si = tile.addptr %s, %far : !tile.ptr<f32>, i32
    %ss = tile.splat %si : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>>
    %sp = tile.addptr %ss, %r64 : tensor<64x!tile.ptr<f32>>, tensor<64xi32>
    %scale = tile.load %sp : tensor<64x!tile.ptr<f32>>
    %line = tile.expand_dims %scale {axis = 0 : i32} : tensor<64xf32> -> tensor<1x64xf32>
    %all = tile.broadcast %line : tensor<1x64xf32> -> tensor<16x64xf32>
    %e = arith.mulf %d, %all : tensor<16x64xf32>
    scf.yield %e : tensor<16x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<16x64x!tile.ptr<f32>>
  tile.return
}

// -----

// Two rows of scales, of which each thread holds one element, stay in registers. No two neighbours could be copied at
// once, and a column has no chunk to swizzle.

// CHECK-LABEL: @two_rows_of_scales
// CHECK: scf.for
// CHECK: %[[S:.*]] = tile.load {{.*}} : tensor<2x64x!tile.ptr<f16>
// CHECK-NOT: warp.alloc %[[S]]
// CHECK: warp.mma
tile.func @two_rows_of_scales(%s: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %a = arith.constant dense<1.0> : tensor<16x64xf16>
  %r2 = tile.range {start = 0 : i32, end = 2 : i32} : tensor<2xi32>
  %r64 = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %row = tile.expand_dims %r2 {axis = 1 : i32} : tensor<2xi32> -> tensor<2x1xi32>
  %l64 = arith.constant dense<64> : tensor<2x1xi32>
  %rows = arith.muli %row, %l64 : tensor<2x1xi32>
  %column = tile.expand_dims %r64 {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %sr = tile.broadcast %rows : tensor<2x1xi32> -> tensor<2x64xi32>
  %sc = tile.broadcast %column : tensor<1x64xi32> -> tensor<2x64xi32>
  %so = arith.addi %sr, %sc : tensor<2x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %c128 = arith.constant 128 : i32
    %far = arith.muli %i, %c128 : i32
    %si = tile.addptr %s, %far : !tile.ptr<f16>, i32
    %ss = tile.splat %si : !tile.ptr<f16> -> tensor<2x64x!tile.ptr<f16>>
    %sp = tile.addptr %ss, %so : tensor<2x64x!tile.ptr<f16>>, tensor<2x64xi32>
    %scale = tile.load %sp : tensor<2x64x!tile.ptr<f16>>
    %apart = tile.expand_dims %scale {axis = 1 : i32} : tensor<2x64xf16> -> tensor<2x1x64xf16>
    %each = tile.broadcast %apart : tensor<2x1x64xf16> -> tensor<2x32x64xf16>
    %b = tile.reshape %each : tensor<2x32x64xf16> -> tensor<64x64xf16>
    %d = tile.dot %a, %b, %acc : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<16x64x!tile.ptr<f32>>
  tile.return
}

// -----

// A 16-bit operand that the loop computes in the layout of its packed words goes through shared memory, too.
// `ldmatrix` reads it from there.
// CHECK-LABEL: @computed
// CHECK: scf.for
// CHECK: %[[H:.*]] = math.exp2
// CHECK: %[[M:.*]] = warp.alloc %[[H]] : {{.*}} -> !warp.shared<64x64xf16
// CHECK: %[[B:.*]] = warp.local_load %[[M]]
// CHECK-NOT: warp.convert_layout
// CHECK: warp.mma %{{.*}}, %[[B]]
tile.func @computed(%x: f16, %w: !tile.ptr<i32> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c512 = arith.constant 512 : i32
  %zero = arith.constant dense<0.0> : tensor<16x64xf32>
  %fifteen = arith.constant dense<15> : tensor<64x64xi32>
  %a = tile.splat %x : f16 -> tensor<16x64xf16>
  %r8 = tile.range {start = 0 : i32, end = 8 : i32} : tensor<8xi32>
  %r64 = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %l8 = arith.constant dense<8> : tensor<64x1xi32>
  %row = tile.expand_dims %r64 {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rows = arith.muli %row, %l8 : tensor<64x1xi32>
  %column = tile.expand_dims %r8 {axis = 0 : i32} : tensor<8xi32> -> tensor<1x8xi32>
  %wr = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x8xi32>
  %wc = tile.broadcast %column : tensor<1x8xi32> -> tensor<64x8xi32>
  %wo = arith.addi %wr, %wc : tensor<64x8xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<16x64xf32>) : i32 {
    %far = arith.muli %i, %c512 : i32
    %wi = tile.addptr %w, %far : !tile.ptr<i32>, i32
    %ws = tile.splat %wi : !tile.ptr<i32> -> tensor<64x8x!tile.ptr<i32>>
    %wp = tile.addptr %ws, %wo : tensor<64x8x!tile.ptr<i32>>, tensor<64x8xi32>
    %q = tile.load %wp : tensor<64x8x!tile.ptr<i32>>
    %e8 = tile.expand_dims %q {axis = 2 : i32} : tensor<64x8xi32> -> tensor<64x8x1xi32>
    %d8 = tile.broadcast %e8 : tensor<64x8x1xi32> -> tensor<64x8x2xi32>
    %t8 = tile.reshape %d8 : tensor<64x8x2xi32> -> tensor<64x16xi32>
    %e16 = tile.expand_dims %t8 {axis = 2 : i32} : tensor<64x16xi32> -> tensor<64x16x1xi32>
    %d16 = tile.broadcast %e16 : tensor<64x16x1xi32> -> tensor<64x16x2xi32>
    %r16 = tile.reshape %d16 : tensor<64x16x2xi32> -> tensor<64x32xi32>
    %e32 = tile.expand_dims %r16 {axis = 2 : i32} : tensor<64x32xi32> -> tensor<64x32x1xi32>
    %d32 = tile.broadcast %e32 : tensor<64x32x1xi32> -> tensor<64x32x2xi32>
    %r32 = tile.reshape %d32 : tensor<64x32x2xi32> -> tensor<64x64xi32>
    %four = arith.andi %r32, %fifteen : tensor<64x64xi32>
    %f = arith.sitofp %four : tensor<64x64xi32> to tensor<64x64xf16>
    %h = math.exp2 %f : tensor<64x64xf16>
    %d = tile.dot %a, %h, %acc : tensor<16x64xf16>, tensor<64x64xf16>, tensor<16x64xf32>
    scf.yield %d : tensor<16x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<16x64x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<16x64x!tile.ptr<f32>>
  tile.return
}

// -----

// So does a load under a condition, though nothing is prefetched. It is read right before the dot, so that the second
// operand takes no registers earlier.
// CHECK-LABEL: @conditional
// CHECK: scf.if
// CHECK: %[[X:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK: %[[M:.*]] = warp.alloc %[[X]]
// CHECK: %[[Y:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK: %[[N:.*]] = warp.alloc %[[Y]]
// CHECK-NOT: warp.local_load
// CHECK: math.exp2
// CHECK-DAG: %[[A:.*]] = warp.local_load %[[M]]
// CHECK-DAG: %[[B:.*]] = warp.local_load %[[N]]
// CHECK: warp.mma %[[A]], %[[B]]
tile.func @conditional(%x: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f16> {tile.divisibility = 16 : i32},
    %p: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4096 = arith.constant 4096 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %l = arith.constant dense<64> : tensor<64x1xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rows = arith.muli %row, %l : tensor<64x1xi32>
  %column = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %down = tile.broadcast %rows : tensor<64x1xi32> -> tensor<64x64xi32>
  %along = tile.broadcast %column : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %down, %along : tensor<64x64xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %at = tile.addptr %p, %i : !tile.ptr<f32>, i32
    %s = tile.load %at : !tile.ptr<f32>
    %none = arith.constant 0.0 : f32
    %some = arith.cmpf ogt, %s, %none : f32
    %next = scf.if %some -> (tensor<64x64xf32>) {
      %far = arith.muli %i, %c4096 : i32
      %xi = tile.addptr %x, %far : !tile.ptr<f16>, i32
      %xs = tile.splat %xi : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
      %xp = tile.addptr %xs, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %a = tile.load %xp : tensor<64x64x!tile.ptr<f16>>
      %yi = tile.addptr %y, %far : !tile.ptr<f16>, i32
      %ys = tile.splat %yi : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
      %yp = tile.addptr %ys, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
      %b = tile.load %yp : tensor<64x64x!tile.ptr<f16>>
      %e = math.exp2 %acc : tensor<64x64xf32>
      %d = tile.dot %a, %b, %e : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %d : tensor<64x64xf32>
    } else {
      scf.yield %acc : tensor<64x64xf32>
    }
    scf.yield %next : tensor<64x64xf32>
  }
  %q = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %q, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
