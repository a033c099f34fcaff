// RUN: tilewright-opt %s -convert-tile-to-vector=vector-bits=256 -canonicalize -cse | FileCheck %s --check-prefix=NEST
// RUN: tilewright-opt %s "-convert-tile-to-vector=vector-bits=256 max-dimensions=9" -canonicalize -cse | FileCheck %s --check-prefix=LOOP

// Tiles with twelve dimensions in all, which is more than nine: one loop runs
// over the linear index of the four outer dimensions and splits it, innermost
// first. A dimension of one element needs no loop.
// NEST-LABEL: llvm.func @five(
// NEST-COUNT-9: scf.for
// NEST-NOT: scf.for
// LOOP-LABEL: llvm.func @five(
// LOOP-DAG: %[[FOUR:.*]] = arith.constant 4 : i64
// LOOP-DAG: %[[TWO:.*]] = arith.constant 2 : i64
// LOOP-DAG: %[[ALL:.*]] = arith.constant 48 : i64
// LOOP: scf.for
// LOOP: scf.for %[[NUMBER:.*]] = %{{.*}} to %[[ALL]] step
// LOOP: arith.remui %[[NUMBER]], %[[FOUR]]
// LOOP: %[[REST:.*]] = arith.divui %[[NUMBER]], %[[FOUR]]
// LOOP: arith.remui %[[REST]], %[[TWO]]
// LOOP: scf.for
// LOOP-NOT: scf.for
tile.func @five(%x: !tile.ptr<f32>) attributes {tile.kernel} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<3x2x2x1x4x8x!tile.ptr<f32>>
  %v = tile.load %xs : tensor<3x2x2x1x4x8x!tile.ptr<f32>>
  tile.store %xs, %v : tensor<3x2x2x1x4x8x!tile.ptr<f32>>
  tile.return
}
