// RUN: tilewright-opt %s -cpu-expand-vector-math=vector-bits=256 | FileCheck %s

// CHECK-LABEL: func.func @f32
// CHECK-NOT: math.exp
// CHECK: llvm.intr.fmuladd{{.*}} : (vector<16xf32>, vector<16xf32>, vector<16xf32>) -> vector<16xf32>
// CHECK-NOT: math.exp
// CHECK: return
func.func @f32(%x: vector<16xf32>) -> vector<16xf32> {
  %y = math.exp %x : vector<16xf32>
  return %y : vector<16xf32>
}

// Functions without an expansion are called a register at a time.
// CHECK-LABEL: func.func @f64
// CHECK-COUNT-4: math.exp %{{.*}} : vector<4xf64>
// CHECK-NOT: math.exp
// CHECK: return
func.func @f64(%x: vector<16xf64>) -> vector<16xf64> {
  %y = math.exp %x : vector<16xf64>
  return %y : vector<16xf64>
}

// Angles beyond the reduction's reach go to the library.
// CHECK-LABEL: func.func @angle
// CHECK: %[[FAR:.*]] = vector.reduction <or>
// CHECK: scf.if %[[FAR]] -> (vector<8xf32>)
// CHECK: llvm.intr.sin
// CHECK: } else {
// CHECK: llvm.intr.fmuladd
func.func @angle(%x: vector<8xf32>) -> vector<8xf32> {
  %y = math.sin %x : vector<8xf32>
  return %y : vector<8xf32>
}

// CHECK-LABEL: func.func @rsqrt
// CHECK: %[[R:.*]] = math.sqrt %{{.*}} : f64
// CHECK: arith.divf %{{.*}}, %[[R]] : f64
func.func @rsqrt(%x: f64) -> f64 {
  %y = math.rsqrt %x : f64
  return %y : f64
}

// CHECK-LABEL: func.func @log1p
// CHECK: math.log %{{.*}} : f64
// CHECK: arith.divf
// CHECK: arith.select
func.func @log1p(%x: f64) -> f64 {
  %y = math.log1p %x : f64
  return %y : f64
}
