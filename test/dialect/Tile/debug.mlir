// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @checks
tile.func @checks(%c: i1, %t: tensor<8xi1>) {
  // CHECK: tile.assert %{{.*}}, "a \22quoted\22 word" : i1
  // CHECK: tile.assert %{{.*}}, "index out of range" : tensor<8xi1>
  tile.assert %c, "a \"quoted\" word" : i1
  tile.assert %t, "index out of range" : tensor<8xi1>
  tile.return
}

// CHECK-LABEL: tile.func @prints
tile.func @prints(%x: tensor<8xi32>, %f: f32, %p: !tile.ptr<f32>) {
  // CHECK: tile.print "here" {isSigned = array<i1>}
  // CHECK: tile.print "x = ", %{{.*}} {isSigned = array<i1: true>} : tensor<8xi32>
  // CHECK: tile.print "bits ", %{{.*}}, %{{.*}}, %{{.*}} {hex = true, isSigned = array<i1: false, true, false>} : tensor<8xi32>, f32, !tile.ptr<f32>
  // CHECK: tile.print "part ", %{{.*}} {extent = array<i64: 5>, isSigned = array<i1: true>, origin = array<i64: 64>} : tensor<8xi32>
  tile.print "here" {isSigned = array<i1>}
  tile.print "x = ", %x {isSigned = array<i1: true>} : tensor<8xi32>
  tile.print "bits ", %x, %f, %p {hex = true, isSigned = array<i1: false, true, false>} : tensor<8xi32>, f32, !tile.ptr<f32>
  tile.print "part ", %x {isSigned = array<i1: true>, origin = array<i64: 64>, extent = array<i64: 5>} : tensor<8xi32>
  tile.return
}
