// RUN: tilewright-opt %s -split-input-file -convert-tile-to-warp='num-warps=4 compute-capability=90' | FileCheck %s

// A loop that asks for several iterations in flight loads through shared memory. Copies bring zeros where a mask is
// off. Other values are selected after them.

// CHECK-LABEL: @asked
// CHECK: scf.for
// CHECK: %[[X:.*]] = tile.load %{{[^,]*}}, %[[MASK:[^,]*]] : tensor<512x!tile.ptr<f32>
// CHECK: %[[M:.*]] = warp.alloc %[[X]]
// CHECK: %[[R:.*]] = warp.local_load %[[M]]
// CHECK: %[[HERE:.*]] = arith.select %[[MASK]], %[[R]], %{{.*}}
// CHECK: %[[Y:.*]] = tile.load %{{[^,]*}}, %{{[^,]*}}, %{{.*}} : tensor<512x!tile.ptr<f32>
// CHECK: %[[N:.*]] = warp.alloc %[[Y]]
// CHECK: %[[S:.*]] = warp.local_load %[[N]]
// CHECK: arith.addf %[[HERE]], %[[S]]
tile.func @asked(%x0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32, %columns: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %x1 = tile.splat %x0 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %x = tile.addptr %x1, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %y1 = tile.splat %y0 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %y = tile.addptr %y1, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %out = tile.addptr %out1, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %ends = tile.splat %columns : i32 -> tensor<512xi32>
  %m = arith.cmpi slt, %r, %ends : tensor<512xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant dense<0.0> : tensor<512xf32>
  %one = arith.constant dense<1.0> : tensor<512xf32>
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x, %m, %one : tensor<512x!tile.ptr<f32>>
    %b = tile.load %y, %m, %zero : tensor<512x!tile.ptr<f32>>
    %sum = arith.addf %a, %b : tensor<512xf32>
    tile.store %out, %sum : tensor<512x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  tile.return
}

// -----

// Not staged: loops that ask for nothing or for one iteration, repeated loads, and loads around another loop.

// CHECK-LABEL: @not_asked
// CHECK-NOT: warp.alloc
// CHECK: tile.return
tile.func @not_asked(%x0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %out0: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32) attributes {tile.kernel} {
  %r = tile.range {start = 0 : i32, end = 512 : i32} : tensor<512xi32>
  %x1 = tile.splat %x0 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %x = tile.addptr %x1, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %out1 = tile.splat %out0 : !tile.ptr<f32> -> tensor<512x!tile.ptr<f32>>
  %out = tile.addptr %out1, %r : tensor<512x!tile.ptr<f32>>, tensor<512xi32>
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x : tensor<512x!tile.ptr<f32>>
    tile.store %out, %a : tensor<512x!tile.ptr<f32>>
  }
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x : tensor<512x!tile.ptr<f32>>
    tile.store %out, %a : tensor<512x!tile.ptr<f32>>
  } {tile.num_stages = 1 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x volatile : tensor<512x!tile.ptr<f32>>
    tile.store %out, %a : tensor<512x!tile.ptr<f32>>
  } {tile.num_stages = 3 : i32}
  scf.for %i = %c0 to %n step %c1 : i32 {
    %a = tile.load %x : tensor<512x!tile.ptr<f32>>
    scf.for %j = %c0 to %n step %c1 : i32 {
      tile.store %out, %a : tensor<512x!tile.ptr<f32>>
    }
  } {tile.num_stages = 3 : i32}
  tile.return
}
