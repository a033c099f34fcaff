// RUN: tilewright-opt %s -cpu-lower-control-flow | FileCheck %s

func.func private @use(i32)

// The loop tests whether a count is below the end minus a step.
// CHECK-LABEL: func.func @computed_step
// CHECK-SAME: %[[LO:.*]]: i32, %[[HI:.*]]: i32, %[[S:.*]]: i32
// CHECK-NOT: scf.
func.func @computed_step(%lo: i32, %hi: i32, %s: i32) {
  // CHECK: %[[LOWEST:.*]] = arith.addi %c-2147483648_i32, %[[S]]
  // CHECK: %[[WRAPS:.*]] = arith.cmpi slt, %[[HI]], %[[LOWEST]]
  // CHECK: %[[LESS:.*]] = arith.subi %[[HI]], %[[S]]
  // CHECK: %[[BEFORE:.*]] = arith.select %[[WRAPS]], %c-2147483648_i32, %[[LESS]]
  // CHECK: cf.cond_br %{{.*}}, ^[[BODY:.*]](%[[LO]] : i32), ^[[END:bb[0-9]+]]
  // CHECK: ^[[BODY]](%[[I:.*]]: i32):
  // CHECK: %[[ON:.*]] = arith.cmpi slt, %[[I]], %[[BEFORE]]
  // CHECK: %[[NEXT:.*]] = arith.addi %[[I]], %[[S]]
  // CHECK: cf.cond_br %[[ON]], ^[[BODY]](%[[NEXT]] : i32), ^[[END]]
  scf.for %i = %lo to %hi step %s : i32 {
    func.call @use(%i) : (i32) -> ()
  }
  return
}

// With steps of 1, no count leads past the end. Other control flow is lowered,
// too.
// CHECK-LABEL: func.func @step_of_one
// CHECK-NOT: arith.select
// CHECK-NOT: scf.
// CHECK: return
func.func @step_of_one(%lo: i32, %hi: i32, %c: i1) {
  %one = arith.constant 1 : i32
  scf.for %i = %lo to %hi step %one : i32 {
    scf.if %c {
      func.call @use(%i) : (i32) -> ()
    }
  }
  return
}
