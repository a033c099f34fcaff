// RUN: tilewright-opt %s -split-input-file -tile-recompute-carried -canonicalize | FileCheck %s

// A mask that is updated for the next iteration is computed in each, even if its bound is computed in the loop.

// CHECK-LABEL: @mask
// CHECK-SAME: %[[P:.*]]: tensor<16x!tile.ptr<f32>>, %[[N:.*]]: i32, %{{.*}}: i32
// CHECK: %[[R:.*]] = tile.range
// CHECK: scf.for {{.*}} iter_args(%[[K:[a-z0-9]+]] = %[[R]]) -> (tensor<16xi32>)
// CHECK: %[[NS:.*]] = tile.splat %[[N]]
// CHECK: %[[M:.*]] = arith.cmpi slt, %[[K]], %[[NS]]
// CHECK: tile.load %[[P]], %[[M]]
// CHECK: %[[NEXT:.*]] = arith.addi %[[K]]
// CHECK: scf.yield %[[NEXT]]
tile.func @mask(%p: tensor<16x!tile.ptr<f32>>, %n: i32, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<16> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %ns = tile.splat %n : i32 -> tensor<16xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %0:2 = scf.for %i = %c0 to %count step %c1 iter_args(%k = %range, %m = %inside) -> (tensor<16xi32>, tensor<16xi1>) : i32 {
    %x = tile.load %p, %m : tensor<16x!tile.ptr<f32>>
    tile.store %p, %x : tensor<16x!tile.ptr<f32>>
    %next = arith.addi %k, %step : tensor<16xi32>
    %again = tile.splat %n : i32 -> tensor<16xi32>
    %more = arith.cmpi slt, %next, %again : tensor<16xi32>
    scf.yield %next, %more : tensor<16xi32>, tensor<16xi1>
  }
  tile.return
}

// -----

// Each of two masks depends on its own indices.

// CHECK-LABEL: @two
// CHECK: scf.for {{.*}} iter_args(%[[A:[a-z0-9]+]] = %[[R:.*]], %[[B:[a-z0-9]+]] = %[[R]]) -> (tensor<16xi32>, tensor<16xi32>)
// CHECK-DAG: %[[MA:.*]] = arith.cmpi slt, %[[A]]
// CHECK-DAG: %[[MB:.*]] = arith.cmpi slt, %[[B]]
// CHECK: tile.load %{{.*}}, %[[MA]]
// CHECK: tile.load %{{.*}}, %[[MB]]
tile.func @two(%p: tensor<16x!tile.ptr<f32>>, %q: tensor<16x!tile.ptr<f32>>, %ns: tensor<16xi32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<16> : tensor<16xi32>
  %far = arith.constant dense<32> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %0:4 = scf.for %i = %c0 to %count step %c1 iter_args(%a = %range, %b = %range, %ma = %inside, %mb = %inside)
      -> (tensor<16xi32>, tensor<16xi32>, tensor<16xi1>, tensor<16xi1>) : i32 {
    %x = tile.load %p, %ma : tensor<16x!tile.ptr<f32>>
    %y = tile.load %p, %mb : tensor<16x!tile.ptr<f32>>
    tile.store %q, %x : tensor<16x!tile.ptr<f32>>
    tile.store %q, %y : tensor<16x!tile.ptr<f32>>
    %na = arith.addi %a, %step : tensor<16xi32>
    %nb = arith.addi %b, %far : tensor<16xi32>
    %more_a = arith.cmpi slt, %na, %ns : tensor<16xi32>
    %more_b = arith.cmpi slt, %nb, %ns : tensor<16xi32>
    scf.yield %na, %nb, %more_a, %more_b : tensor<16xi32>, tensor<16xi32>, tensor<16xi1>, tensor<16xi1>
  }
  tile.return
}

// -----

// Pointers, too.

// CHECK-LABEL: @pointers
// CHECK: scf.for {{.*}} -> (tensor<16xi32>)
// CHECK: tile.addptr
// CHECK: tile.load
tile.func @pointers(%p: tensor<16x!tile.ptr<f32>>, %q: tensor<16x!tile.ptr<f32>>, %step: tensor<16xi32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %at = tile.addptr %p, %range : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
  %0:2 = scf.for %i = %c0 to %count step %c1 iter_args(%k = %range, %from = %at) -> (tensor<16xi32>, tensor<16x!tile.ptr<f32>>) : i32 {
    %x = tile.load %from : tensor<16x!tile.ptr<f32>>
    tile.store %q, %x : tensor<16x!tile.ptr<f32>>
    %next = arith.addi %k, %step : tensor<16xi32>
    %to = tile.addptr %p, %next : tensor<16x!tile.ptr<f32>>, tensor<16xi32>
    scf.yield %next, %to : tensor<16xi32>, tensor<16x!tile.ptr<f32>>
  }
  tile.return
}

// -----

// Tiles that start in another way stay: another bound, a constant, or the opposite comparison.

// CHECK-LABEL: @starts_otherwise
// CHECK: -> (tensor<16xi32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>)
tile.func @starts_otherwise(%p: tensor<16x!tile.ptr<f32>>, %ns: tensor<16xi32>, %others: tensor<16xi32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %all = arith.constant dense<true> : tensor<16xi1>
  %step = arith.constant dense<16> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %inside = arith.cmpi slt, %range, %others : tensor<16xi32>
  %outside = arith.cmpi sge, %range, %ns : tensor<16xi32>
  %0:4 = scf.for %i = %c0 to %count step %c1 iter_args(%k = %range, %m = %inside, %a = %all, %o = %outside)
      -> (tensor<16xi32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>) : i32 {
    %x = tile.load %p, %m : tensor<16x!tile.ptr<f32>>
    %y = tile.load %p, %a : tensor<16x!tile.ptr<f32>>
    %z = tile.load %p, %o : tensor<16x!tile.ptr<f32>>
    tile.store %p, %x : tensor<16x!tile.ptr<f32>>
    tile.store %p, %y : tensor<16x!tile.ptr<f32>>
    tile.store %p, %z : tensor<16x!tile.ptr<f32>>
    %next = arith.addi %k, %step : tensor<16xi32>
    %more = arith.cmpi slt, %next, %ns : tensor<16xi32>
    scf.yield %next, %more, %more, %more : tensor<16xi32>, tensor<16xi1>, tensor<16xi1>, tensor<16xi1>
  }
  tile.return
}

// -----

// Tiles that are used after the loop stay, and so do those read from memory, which may change.

// CHECK-LABEL: @used_after
// CHECK: -> (tensor<16xi32>, tensor<16xi1>, tensor<16xi1>)
tile.func @used_after(%p: tensor<16x!tile.ptr<i32>>, %ns: tensor<16xi32>, %count: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %step = arith.constant dense<16> : tensor<16xi32>
  %range = tile.range {start = 0 : i32, end = 16 : i32} : tensor<16xi32>
  %inside = arith.cmpi slt, %range, %ns : tensor<16xi32>
  %limit = tile.load %p : tensor<16x!tile.ptr<i32>>
  %below = arith.cmpi slt, %range, %limit : tensor<16xi32>
  %0:3 = scf.for %i = %c0 to %count step %c1 iter_args(%k = %range, %m = %inside, %l = %below)
      -> (tensor<16xi32>, tensor<16xi1>, tensor<16xi1>) : i32 {
    %both = arith.andi %m, %l : tensor<16xi1>
    tile.store %p, %k, %both : tensor<16x!tile.ptr<i32>>
    %next = arith.addi %k, %step : tensor<16xi32>
    %more = arith.cmpi slt, %next, %ns : tensor<16xi32>
    %again = tile.load %p : tensor<16x!tile.ptr<i32>>
    %still = arith.cmpi slt, %next, %again : tensor<16xi32>
    scf.yield %next, %more, %still : tensor<16xi32>, tensor<16xi1>, tensor<16xi1>
  }
  tile.store %p, %range, %0#1 : tensor<16x!tile.ptr<i32>>
  tile.return
}
