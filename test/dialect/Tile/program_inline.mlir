// RUN: tilewright-opt -inline -symbol-dce -split-input-file %s | FileCheck %s

// Functions are inlined into kernels and removed.
// CHECK-NOT: @twice
// CHECK-LABEL: tile.func @kernel
// CHECK-NEXT: %[[SUM:.*]] = arith.addf %[[X:.*]], %[[X]] : f32
// CHECK-NEXT: tile.store %{{.*}}, %[[SUM]]
// CHECK-NEXT: tile.return
tile.func private @twice(%x: f32) -> f32 {
  %0 = arith.addf %x, %x : f32
  tile.return %0 : f32
}
tile.func @kernel(%p: !tile.ptr<f32>, %x: f32) attributes {tile.kernel} {
  %0 = tile.call @twice(%x) : (f32) -> f32
  tile.store %p, %0 : !tile.ptr<f32>
  tile.return
}

// -----

// So are calls inside a loop, and calls of calls.
// CHECK-LABEL: tile.func @loop
// CHECK: scf.for
// CHECK-NEXT: arith.muli
// CHECK-NEXT: tile.store
// CHECK-NOT: tile.call
tile.func private @square(%x: i32) -> i32 {
  %0 = arith.muli %x, %x : i32
  tile.return %0 : i32
}
tile.func private @store_square(%p: !tile.ptr<i32>, %x: i32) {
  %0 = tile.call @square(%x) : (i32) -> i32
  tile.store %p, %0 : !tile.ptr<i32>
  tile.return
}
tile.func @loop(%p: !tile.ptr<i32>, %n: i32) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  scf.for %i = %zero to %n step %one : i32 {
    tile.call @store_square(%p, %i) : (!tile.ptr<i32>, i32) -> ()
  }
  tile.return
}
