// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// A reduction has no effects, so an unused one is removed.
// CHECK-LABEL: tile.func @unused
// CHECK-NEXT: tile.return
tile.func @unused(%x: tensor<8xf32>) {
  %0 = "tile.reduce"(%x) <{axis = 0 : i32}> ({
  ^bb0(%a: f32, %b: f32):
    %s = arith.addf %a, %b : f32
    tile.yield %s : f32
  }) : (tensor<8xf32>) -> f32
  tile.return
}
