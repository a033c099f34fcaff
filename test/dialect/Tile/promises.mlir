// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @promises
// CHECK: arith.muli {{.*}} {tile.divisibility = array<i32: 16>} : i32
// CHECK: tile.broadcast {{.*}} {tile.constancy = array<i32: 1, 4>, tile.contiguity = array<i32: 8, 1>}
tile.func @promises(%n: i32, %x: tensor<8x1xi32>) {
  %m = arith.muli %n, %n {tile.divisibility = array<i32: 16>} : i32
  %y = tile.broadcast %x {tile.contiguity = array<i32: 8, 1>, tile.constancy = array<i32: 1, 4>} : tensor<8x1xi32> -> tensor<8x4xi32>
  tile.return
}

// CHECK-LABEL: tile.func @counts(
// CHECK-SAME: i32 {tile.non_negative})
// CHECK: arith.muli {{.*}} {tile.non_negative} : tensor<8xi32>
tile.func @counts(%x: tensor<8xi32>, %n: i32 {tile.non_negative}) {
  %y = arith.muli %x, %x {tile.non_negative} : tensor<8xi32>
  tile.return
}
