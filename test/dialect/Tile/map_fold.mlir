// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// A map has no effects, so an unused one is removed.
// CHECK-LABEL: tile.func @unused
// CHECK-NEXT: tile.return
tile.func @unused(%x: tensor<8xf32>) {
  %0 = "tile.map"(%x) <{pack = 1 : i32}> ({
  ^bb0(%a: f32):
    tile.yield %a : f32
  }) : (tensor<8xf32>) -> tensor<8xf32>
  tile.return
}
