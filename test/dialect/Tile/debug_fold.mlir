// RUN: tilewright-opt -canonicalize %s | FileCheck %s

// An assert of true is removed.
// CHECK-LABEL: tile.func @true
// CHECK-NEXT: tile.return
tile.func @true() {
  %c = arith.constant true
  %t = arith.constant dense<true> : tensor<8xi1>
  tile.assert %c, "never" : i1
  tile.assert %t, "never" : tensor<8xi1>
  tile.return
}

// An assert that is false somewhere stays, as does every message.
// CHECK-LABEL: tile.func @false
// CHECK: tile.assert %{{.*}}, "always" : i1
// CHECK: tile.assert %{{.*}}, "sometimes" : tensor<2xi1>
// CHECK: tile.print "here"
tile.func @false() {
  %c = arith.constant false
  %t = arith.constant dense<[true, false]> : tensor<2xi1>
  tile.assert %c, "always" : i1
  tile.assert %t, "sometimes" : tensor<2xi1>
  tile.print "here" {isSigned = array<i1>}
  tile.return
}
