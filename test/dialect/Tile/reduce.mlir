// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @sum
tile.func @sum(%x: tensor<32x64xf32>) -> tensor<32xf32> {
  // CHECK: "tile.reduce"(%{{.*}}) <{axis = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32, %[[B:.*]]: f32):
  // CHECK-NEXT: %[[S:.*]] = arith.addf %[[A]], %[[B]] : f32
  // CHECK-NEXT: tile.yield %[[S]] : f32
  // CHECK-NEXT: }) : (tensor<32x64xf32>) -> tensor<32xf32>
  %0 = "tile.reduce"(%x) <{axis = 1 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<32x64xf32>) -> tensor<32xf32>
  tile.return %0 : tensor<32xf32>
}

// A region may loop: the greatest common divisor.
// CHECK-LABEL: tile.func @loops
tile.func @loops(%x: tensor<64xi32>) -> i32 {
  // CHECK: "tile.reduce"(%{{.*}}) <{axis = 0 : i32}> ({
  // CHECK: scf.while
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: i32, %b: i32):
    %zero = arith.constant 0 : i32
    %found:2 = scf.while (%p = %a, %q = %b) : (i32, i32) -> (i32, i32) {
      %more = arith.cmpi ne, %q, %zero : i32
      scf.condition(%more) %p, %q : i32, i32
    } do {
    ^bb0(%p: i32, %q: i32):
      %rest = arith.remui %p, %q : i32
      scf.yield %q, %rest : i32, i32
    }
    tile.yield %found#0 : i32
  }) : (tensor<64xi32>) -> i32
  tile.return %0 : i32
}

// Argmax: two operands, a scalar result each.
// CHECK-LABEL: tile.func @argmax
tile.func @argmax(%x: tensor<64xf32>, %i: tensor<64xi32>) -> (f32, i32) {
  // CHECK: %{{.*}}:2 = "tile.reduce"(%{{.*}}, %{{.*}}) <{axis = 0 : i32}> ({
  // CHECK-NEXT: ^bb0(%{{.*}}: f32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: i32):
  // CHECK: tile.yield %{{.*}}, %{{.*}} : f32, i32
  // CHECK-NEXT: }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  %0:2 = "tile.reduce"(%x, %i) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %ai: i32, %b: f32, %bi: i32):
    %more = arith.cmpf ogt, %a, %b : f32
    %v = arith.select %more, %a, %b : f32
    %p = arith.select %more, %ai, %bi : i32
    tile.yield %v, %p : f32, i32
  }) : (tensor<64xf32>, tensor<64xi32>) -> (f32, i32)
  tile.return %0#0, %0#1 : f32, i32
}
