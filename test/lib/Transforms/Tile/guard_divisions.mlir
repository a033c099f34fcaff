// RUN: tilewright-opt %s -split-input-file -tile-guard-divisions | FileCheck %s

// Division by zero, and of the least number by -1.
// CHECK-LABEL: func @signed
// CHECK-SAME: %[[X:.*]]: vector<8xi32>, %[[Y:.*]]: vector<8xi32>
// CHECK-DAG: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK-DAG: %[[LEAST:.*]] = arith.cmpi eq, %[[X]], %{{.*}}
// CHECK-DAG: %[[NEGATED:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK: %[[WRAPS:.*]] = arith.andi %[[LEAST]], %[[NEGATED]]
// CHECK: %[[TRAPS:.*]] = arith.ori %[[ZERO]], %[[WRAPS]]
// CHECK: %[[SAFE:.*]] = arith.select %[[TRAPS]], %{{.*}}, %[[Y]]
// CHECK: arith.divsi %[[X]], %[[SAFE]]
func.func @signed(%x: vector<8xi32>, %y: vector<8xi32>) -> vector<8xi32> {
  %q = arith.divsi %x, %y : vector<8xi32>
  return %q : vector<8xi32>
}

// -----

// CHECK-LABEL: func @unsigned
// CHECK-SAME: %[[X:.*]]: i64, %[[Y:.*]]: i64
// CHECK: %[[ZERO:.*]] = arith.cmpi eq, %[[Y]], %{{.*}}
// CHECK-NEXT: %[[ONE:.*]] = arith.constant 1
// CHECK-NEXT: %[[SAFE:.*]] = arith.select %[[ZERO]], %[[ONE]], %[[Y]]
// CHECK-NEXT: arith.remui %[[X]], %[[SAFE]]
func.func @unsigned(%x: i64, %y: i64) -> i64 {
  %r = arith.remui %x, %y : i64
  return %r : i64
}

// -----

// A constant that cannot trap.
// CHECK-LABEL: func @constant
// CHECK-NOT: arith.select
// CHECK: arith.remsi
// CHECK: arith.divui
func.func @constant(%x: vector<8xi32>) -> vector<8xi32> {
  %c3 = arith.constant dense<3> : vector<8xi32>
  %ones = arith.constant dense<-1> : vector<8xi32>
  %r = arith.remsi %x, %c3 : vector<8xi32>
  %q = arith.divui %r, %ones : vector<8xi32>
  return %q : vector<8xi32>
}

// -----

// CHECK-LABEL: func @minus_one
// CHECK: arith.select
// CHECK: arith.divsi
func.func @minus_one(%x: i32) -> i32 {
  %c = arith.constant -1 : i32
  %q = arith.divsi %x, %c : i32
  return %q : i32
}
