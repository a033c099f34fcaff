// RUN: tilewright-opt %s -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s

// A matrix from which, with another dot's accumulator, threads compute the second operand of the next dot goes
// through shared memory. It can be copied, and the fence after the operand does not wait for it. A row stays in
// registers.
// CHECK-LABEL: @states
// CHECK: scf.for
// CHECK: warp.wgmma_wait
// CHECK: %[[V:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK: %[[M:.*]] = warp.alloc %[[V]] :
// CHECK: %[[R:.*]] = warp.local_load %[[M]]
// CHECK: arith.subf %[[R]]
// CHECK: %[[G:.*]] = tile.load {{.*}} : tensor<64x!tile.ptr<f16>
// CHECK-NOT: warp.alloc %[[G]]
// CHECK: arith.mulf
// CHECK: warp.alloc
// CHECK: warp.wgmma

// Values of the first operand only stay in registers, as wgmma takes it from there.
// CHECK-LABEL: @scores
// CHECK: scf.for
// CHECK: %[[S:.*]] = warp.wgmma_wait
// CHECK: %[[B:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK-NOT: warp.alloc %[[B]]
// CHECK: scf.yield
tile.func @states(%wp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %vp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %kp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %gp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r0 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %stride : tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = tile.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c3 : tensor<64x64xi32>
  %wp1 = tile.splat %wp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %wp = tile.addptr %wp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %vp1 = tile.splat %vp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %vp = tile.addptr %vp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %kp1 = tile.splat %kp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %kp = tile.addptr %kp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %out1, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %gp1 = tile.splat %gp0 : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>>
  %gp = tile.addptr %gp1, %r : tensor<64x!tile.ptr<f16>>, tensor<64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%state = %zero) -> (tensor<64x64xf32>) : i32 {
    %w = tile.load %wp : tensor<64x64x!tile.ptr<f16>>
    %h = arith.truncf %state : tensor<64x64xf32> to tensor<64x64xf16>
    %d = tile.dot %w, %h, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %v = tile.load %vp : tensor<64x64x!tile.ptr<f16>>
    %vf = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %u = arith.subf %v, %vf : tensor<64x64xf16>
    %g = tile.load %gp : tensor<64x!tile.ptr<f16>>
    %g1 = tile.expand_dims %g {axis = 1 : i32} : tensor<64xf16> -> tensor<64x1xf16>
    %g2 = tile.broadcast %g1 : tensor<64x1xf16> -> tensor<64x64xf16>
    %x = arith.mulf %u, %g2 : tensor<64x64xf16>
    %k = tile.load %kp : tensor<64x64x!tile.ptr<f16>>
    %next = tile.dot %k, %x, %state : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

tile.func @scores(%q0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %kp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %bp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r0 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %stride : tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = tile.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c3 : tensor<64x64xi32>
  %q1 = tile.splat %q0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %q1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %kp1 = tile.splat %kp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %kp = tile.addptr %kp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp1 = tile.splat %bp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %out1, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %q : tensor<64x64x!tile.ptr<f16>>
    %k = tile.load %kp : tensor<64x64x!tile.ptr<f16>>
    %d = tile.dot %a, %k, %zero : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    %b = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %df = arith.truncf %d : tensor<64x64xf32> to tensor<64x64xf16>
    %s = arith.addf %df, %b : tensor<64x64xf16>
    %next = tile.dot %s, %k, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// Without the accumulator of another dot, the matrices of both operands can be copied.
// CHECK-LABEL: @scaled
// CHECK: scf.for
// CHECK: %[[Q:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK: %[[MQ:.*]] = warp.alloc %[[Q]] :
// CHECK: warp.local_load %[[MQ]]
// CHECK: %[[V:.*]] = tile.load {{.*}} : tensor<64x64x!tile.ptr<f16>
// CHECK: %[[MV:.*]] = warp.alloc %[[V]] :
// CHECK: warp.local_load %[[MV]]
// CHECK: warp.wgmma
tile.func @scaled(%q0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %kp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %bp0: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %out0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 64 : i32} : tensor<64xi32>
  %stride = arith.constant dense<64> : tensor<64x1xi32>
  %r0 = tile.expand_dims %r {axis = 1 : i32} : tensor<64xi32> -> tensor<64x1xi32>
  %r1 = arith.muli %r0, %stride : tensor<64x1xi32>
  %r2 = tile.broadcast %r1 : tensor<64x1xi32> -> tensor<64x64xi32>
  %c2 = tile.expand_dims %r {axis = 0 : i32} : tensor<64xi32> -> tensor<1x64xi32>
  %c3 = tile.broadcast %c2 : tensor<1x64xi32> -> tensor<64x64xi32>
  %o = arith.addi %r2, %c3 : tensor<64x64xi32>
  %q1 = tile.splat %q0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %q = tile.addptr %q1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %kp1 = tile.splat %kp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %kp = tile.addptr %kp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %bp1 = tile.splat %bp0 : !tile.ptr<f16> -> tensor<64x64x!tile.ptr<f16>>
  %bp = tile.addptr %bp1, %o : tensor<64x64x!tile.ptr<f16>>, tensor<64x64xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %out = tile.addptr %out1, %o : tensor<64x64x!tile.ptr<f32>>, tensor<64x64xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %sum = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %zero) -> (tensor<64x64xf32>) : i32 {
    %a = tile.load %q : tensor<64x64x!tile.ptr<f16>>
    %a2 = arith.addf %a, %a : tensor<64x64xf16>
    %b = tile.load %bp : tensor<64x64x!tile.ptr<f16>>
    %b2 = arith.mulf %b, %b : tensor<64x64xf16>
    %next = tile.dot %a2, %b2, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
    scf.yield %next : tensor<64x64xf32>
  }
  tile.store %out, %sum : tensor<64x64x!tile.ptr<f32>>
  tile.return
}
