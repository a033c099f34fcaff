// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -warp-specialize='num-stages=3 ping-pong=true' -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=warp-specialize -verify-diagnostics
// RUN: tilewright-opt %s -split-input-file \
// RUN:   -convert-tile-to-warp='num-warps=4 compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -warp-specialize='num-stages=3 ping-pong=true' | FileCheck %s

// The obstacles to ping-pong.
// CHECK-NOT: {{ping_?pong}}

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @no_tiles(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i64) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf32>, !tile.ptr<f32>
  // expected-remark@+2 {{loaded by a producer warp}}
  // expected-remark@+1 {{no ping-pong, all warps share each tile: it is loaded outside of a counted loop over tiles}}
  %t = tile.descriptor_load %d[%c0, %c0] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  tile.store %p, %t : tensor<64x32x!tile.ptr<f32>>
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @two_loops(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf32>, !tile.ptr<f32>
  scf.for %i = %c0 to %k step %c1 : i32 {
    // expected-remark@+1 {{loaded by a producer warp}}
    %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
    tile.store %p, %t : tensor<64x32x!tile.ptr<f32>>
  }
  scf.for %i = %c0 to %k step %c1 : i32 {
    // expected-remark@+2 {{loaded by a producer warp}}
    // expected-remark@+1 {{no ping-pong, all warps share each tile: several loops load, one after the other}}
    %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
    tile.store %p, %t : tensor<64x32x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @no_dots(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf32>, !tile.ptr<f32>
  // expected-remark@+1 {{no ping-pong, all warps share each tile: a tile has no loop of wgmma}}
  scf.for %i = %c0 to %k step %c1 : i32 {
    // expected-remark@+1 {{loaded by a producer warp}}
    %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
    tile.store %p, %t : tensor<64x32x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @nested(%a: !tile.ptr<f32>, %c: !tile.ptr<f32>, %n: i64, %k: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x32x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x32xf32>, !tile.ptr<f32>
  scf.for %i = %c0 to %k step %c1 : i32 {
    %odd = arith.cmpi ne, %i, %c0 : i32
    scf.if %odd {
      // expected-remark@+2 {{loaded by a producer warp}}
      // expected-remark@+1 {{no ping-pong, all warps share each tile: its number of loads per tile depends on more than one loop}}
      %t = tile.descriptor_load %d[%i, %c0] : !tile.desc<64x32xf32> -> tensor<64x32xf32>
      tile.store %p, %t : tensor<64x32x!tile.ptr<f32>>
    }
  }
  tile.return
}

// -----

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @done_once(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %tiles: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    %result = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      // expected-remark@+1 {{loaded by a producer warp}}
      %x = tile.descriptor_load %d[%t, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  // expected-remark@+1 {{no ping-pong, all warps share each tile: it must run once, outside of the loop over tiles}}
  tile.store %p, %zero : tensor<64x64x!tile.ptr<f32>>
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @ordered(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %tiles: i32, %counter: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    %result = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      // expected-remark@+1 {{loaded by a producer warp}}
      %x = tile.descriptor_load %d[%t, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    // expected-remark@+1 {{no ping-pong, all warps share each tile: an atomic operation orders its tiles}}
    %o = tile.atomic_rmw add release gpu %counter, %c1 : !tile.ptr<i32>
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @reads(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %tiles: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    %result = scf.for %i = %c0 to %k step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      // expected-remark@+1 {{loaded by a producer warp}}
      %x = tile.descriptor_load %d[%t, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    // expected-remark@+1 {{no ping-pong, all warps share each tile: it may load data that the previous tile has yet to store}}
    %old = tile.load %p : tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %old : tensor<64x64x!tile.ptr<f32>>
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @counter(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %tiles: i32, %counter: !tile.ptr<i32>) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    // expected-remark@+2 {{no ping-pong, all warps share each tile: the producer waits for the result of this operation}}
    // expected-remark@+1 {{its result is forwarded to the producer}}
    %l = tile.atomic_rmw add acq_rel gpu %counter, %c1 : !tile.ptr<i32>
    %result = scf.for %i = %c0 to %l step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      // expected-remark@+1 {{loaded by a producer warp}}
      %x = tile.descriptor_load %d[%t, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// expected-remark@+1 {{4 warps consume, 1 produce}}
tile.func @random(%a: !tile.ptr<f16>, %c: !tile.ptr<f32>, %n: i64, %k: i32, %tiles: i32, %b: i1, %m: i32) attributes {tile.kernel} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<64x64xf32>
  %p = tile.splat %c : !tile.ptr<f32> -> tensor<64x64x!tile.ptr<f32>>
  %d = tile.make_descriptor %a, [%n, %n], [%n] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  scf.for %t = %c0 to %tiles step %c1 : i32 {
    // expected-remark@+1 {{no ping-pong, all warps share each tile: the number of blocks that a tile loads, or a value that the next tile starts with, depends on it}}
    %l = scf.if %b -> (i32) {
      %o = arith.addi %t, %m : i32
      scf.yield %o : i32
    } else {
      scf.yield %m : i32
    }
    %result = scf.for %i = %c0 to %l step %c1 iter_args(%acc = %zero) -> tensor<64x64xf32> : i32 {
      // expected-remark@+1 {{loaded by a producer warp}}
      %x = tile.descriptor_load %d[%t, %i] : !tile.desc<64x64xf16> -> tensor<64x64xf16>
      %y = tile.dot %x, %x, %acc : tensor<64x64xf16>, tensor<64x64xf16>, tensor<64x64xf32>
      scf.yield %y : tensor<64x64xf32>
    }
    tile.store %p, %result : tensor<64x64x!tile.ptr<f32>>
  }
  tile.return
}
