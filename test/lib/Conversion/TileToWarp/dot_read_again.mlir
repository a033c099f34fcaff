// RUN: tilewright-opt %s -convert-tile-to-warp | FileCheck %s
// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=2 compute-capability=80' | FileCheck %s --check-prefix=ACCS

// All warps hold all of 16 rows of 512 f16 elements, which takes 128 registers per thread. The rows stay in shared
// memory, and each iteration reads them.
// CHECK-LABEL: tile.func @few_long_rows
// CHECK: %[[ROWS:.*]] = warp.alloc {{.*}} !warp.shared<16x512xf16
// CHECK: scf.for
// CHECK: %[[A:.*]] = warp.local_load %[[ROWS]]
// CHECK: warp.mma %[[A]]
tile.func @few_long_rows(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %k: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %stride = arith.constant dense<512> : tensor<16x1xi32>
  %first = arith.constant dense<0.0> : tensor<16x16xf32>
  %zero = arith.constant dense<0.0> : tensor<16xf32>
  %r = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %c = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %r1 = tile.expand_dims %r {axis = 1 : i32} : tensor<16xi32> -> tensor<16x1xi32>
  %c2 = tile.expand_dims %c {axis = 0 : i32} : tensor<512xi32> -> tensor<1x512xi32>
  %rs = arith.muli %r1, %stride : tensor<16x1xi32>
  %r3 = tile.broadcast %rs : tensor<16x1xi32> -> tensor<16x512xi32>
  %c3 = tile.broadcast %c2 : tensor<1x512xi32> -> tensor<16x512xi32>
  %at = arith.addi %r3, %c3 : tensor<16x512xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<16x512x!tile.ptr<f16>>
  %pq = tile.addptr %ps, %at : tensor<16x512x!tile.ptr<f16>>, tensor<16x512xi32>
  %rows = tile.load %pq : tensor<16x512x!tile.ptr<f16>>
  %ks = tile.splat %k : !tile.ptr<f16> -> tensor<16x512x!tile.ptr<f16>>
  %kq = tile.addptr %ks, %at : tensor<16x512x!tile.ptr<f16>>, tensor<16x512xi32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %first) -> (tensor<16x16xf32>) : i32 {
    %offset = tile.splat %i : i32 -> tensor<16x512xi32>
    %kn = tile.addptr %kq, %offset : tensor<16x512x!tile.ptr<f16>>, tensor<16x512xi32>
    %keys = tile.load %kn : tensor<16x512x!tile.ptr<f16>>
    %turned = tile.transpose %keys {order = array<i32: 1, 0>} : tensor<16x512xf16> -> tensor<512x16xf16>
    %next = tile.dot %rows, %turned, %acc : tensor<16x512xf16>, tensor<512x16xf16>, tensor<16x16xf32>
    scf.yield %next : tensor<16x16xf32>
  }
  %most = "tile.reduce"(%sum) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %m = arith.maxnumf %a, %b : f32
    tile.yield %m : f32
  }) : (tensor<16x16xf32>) -> tensor<16xf32>
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<16x!tile.ptr<f32>>
  %oq = tile.addptr %os, %r : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  tile.store %oq, %most : tensor<16x!tile.ptr<f32>>
  tile.return
}

// 64 registers of each thread of two warps are acceptable next to accumulators that take as many, but not next to
// four times as many.
// ACCS-LABEL: tile.func @next_to_accumulators
// ACCS: scf.for
// ACCS-NOT: warp.local_load
// ACCS: scf.yield
// ACCS: %[[ROWS:.*]] = warp.alloc {{.*}} !warp.shared<64x128xf16
// ACCS: scf.for
// ACCS: %[[A:.*]] = warp.local_load %[[ROWS]]
// ACCS: warp.mma %[[A]]
tile.func @next_to_accumulators(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %x: f16, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<128> : tensor<64x1xi32>
  %few = arith.constant dense<0.0> : tensor<64x64xf32>
  %many = arith.constant dense<0.0> : tensor<64x256xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rs = arith.muli %row, %l : tensor<64x1xi32>
  %column = tile.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %down = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x128xi32>
  %along = tile.broadcast %column : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %down, %along : tensor<64x128xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  %pq = tile.addptr %ps, %at : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %first = tile.load %pq : tensor<64x128x!tile.ptr<f16>>
  %b = tile.splat %x : f16 -> tensor<128x64xf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %few) -> (tensor<64x64xf32>) : i32 {
    %next = tile.dot %first, %b, %acc : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  %second = tile.load %pq {isVolatile} : tensor<64x128x!tile.ptr<f16>>
  %wide = tile.splat %x : f16 -> tensor<128x256xf16>
  %sums = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %many) -> (tensor<64x256xf32>) : i32 {
    %next = tile.dot %second, %wide, %acc : tensor<64x128xf16>, tensor<128x256xf16>, tensor<64x256xf32>
    scf.yield %next : tensor<64x256xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %sum : tensor<64x64x!tile.ptr<f32>>
  %ms = tile.splat %out : !tile.ptr<f32> -> tensor<64x256x!tile.ptr<f32>>
  tile.store %ms, %sums : tensor<64x256x!tile.ptr<f32>>
  tile.return
}

// One operand of 64 registers is acceptable next to accumulators that take as many, but three are not.
// ACCS-LABEL: tile.func @next_to_each_other
// ACCS-COUNT-3: warp.alloc {{.*}} !warp.shared<64x128xf16
// ACCS: scf.for
// ACCS-COUNT-3: warp.local_load
tile.func @next_to_each_other(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out: !tile.ptr<f32>, %x: f16, %n: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %l = arith.constant dense<128> : tensor<64x1xi32>
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %c = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %row = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %rs = arith.muli %row, %l : tensor<64x1xi32>
  %column = tile.expand_dims %c {axis = 0 : i32} : tensor<128xi32> -> tensor<1x128xi32>
  %down = tile.broadcast %rs : tensor<64x1xi32> -> tensor<64x128xi32>
  %along = tile.broadcast %column : tensor<1x128xi32> -> tensor<64x128xi32>
  %at = arith.addi %down, %along : tensor<64x128xi32>
  %ps = tile.splat %p : !tile.ptr<f16> -> tensor<64x128x!tile.ptr<f16>>
  %pq = tile.addptr %ps, %at : tensor<64x128x!tile.ptr<f16>>, tensor<64x128xi32>
  %first = tile.load %pq {isVolatile} : tensor<64x128x!tile.ptr<f16>>
  %second = tile.load %pq {isVolatile} : tensor<64x128x!tile.ptr<f16>>
  %third = tile.load %pq {isVolatile} : tensor<64x128x!tile.ptr<f16>>
  %b = tile.splat %x : f16 -> tensor<128x64xf16>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %one = tile.dot %first, %b, %acc : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %two = tile.dot %second, %b, %one : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    %three = tile.dot %third, %b, %two : tensor<64x128xf16>, tensor<128x64xf16>, tensor<64x64xf32>
    scf.yield %three : tensor<64x64xf32>
  }
  %os = tile.splat %out : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  tile.store %os, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
