// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// Control flow for single elements.
// CHECK-LABEL: tile.func @branch
tile.func @branch(%x: tensor<8x4xf32>, %zero: f32) -> tensor<8x4xf32> {
  // CHECK: "tile.map"(%{{.*}}) <{pack = 1 : i32}> ({
  // CHECK-NEXT: ^bb0(%[[A:.*]]: f32):
  // CHECK: scf.if
  // CHECK: tile.yield %{{.*}} : f32
  // CHECK-NEXT: }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    %positive = arith.cmpf ogt, %a, %zero : f32
    %r = scf.if %positive -> f32 {
      scf.yield %a : f32
    } else {
      %e = math.expm1 %a : f32
      scf.yield %e : f32
    }
    tile.yield %r : f32
  }) : (tensor<8x4xf32>) -> tensor<8x4xf32>
  tile.return %0 : tensor<8x4xf32>
}

// Two elements at once, of two operands, for two results; on scalars, too.
// CHECK-LABEL: tile.func @packed
tile.func @packed(%x: i32, %y: f32) -> (f32, i32) {
  // CHECK: ^bb0(%{{.*}}: i32, %{{.*}}: i32, %{{.*}}: f32, %{{.*}}: f32):
  // CHECK: tile.yield %{{.*}} : f32, f32, i32, i32
  %0:2 = "tile.map"(%x, %y) <{pack = 2 : i32}> ({
  ^bb0(%a: i32, %b: i32, %c: f32, %d: f32):
    tile.yield %c, %d, %a, %b : f32, f32, i32, i32
  }) : (i32, f32) -> (f32, i32)
  tile.return %0#0, %0#1 : f32, i32
}
