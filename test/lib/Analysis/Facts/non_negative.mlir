// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-non-negative))' -verify-diagnostics -o /dev/null

// Bounds and operands of divisions are sizes. A limit is a bound, or is divided and rounded up.
// expected-remark@below {{sizes: [0, 1, 2]}}
// expected-remark@below {{limits: [0, 2]}}
tile.func @sizes(%n: i32, %columns: i32, %k: i32, %other: i32) {
  %c0 = arith.constant 0 : i32
  %c63 = arith.constant 63 : i32
  %c64 = arith.constant 64 : i32
  %pid = tile.program_id x
  %in = arith.cmpi slt, %pid, %n : i32
  %row = arith.divsi %pid, %columns : i32
  %up = arith.addi %k, %c63 : i32
  %count = arith.divsi %up, %c64 : i32
  // expected-remark@below {{quotient: non-negative}}
  tile.print "quotient: ", %row {isSigned = array<i1: true>} : i32
  // expected-remark@below {{blocks: non-negative}}
  tile.print "blocks: ", %count {isSigned = array<i1: true>} : i32
  %sum = arith.addi %row, %other : i32
  // expected-remark@below {{plus an argument: unknown}}
  tile.print "plus an argument: ", %sum {isSigned = array<i1: true>} : i32
  tile.return
}

// Counters from a non-negative bound, in both directions, and carried values by induction.
// expected-remark@below {{sizes: [0]}}
// expected-remark@below {{limits: [0]}}
tile.func @loops(%n: i32, %any: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  scf.for %i = %c0 to %n step %c1 : i32 {
    // expected-remark@below {{up: non-negative}}
    tile.print "up: ", %i {isSigned = array<i1: true>} : i32
  }
  %ends = arith.addi %c0, %n : i32
  %r:2 = scf.for %i = %c0 to %n step %c1 iter_args(%grows = %c0, %falls = %c0) -> (i32, i32) : i32 {
    %down = arith.subi %ends, %i : i32
    // expected-remark@below {{down: non-negative}}
    tile.print "down: ", %down {isSigned = array<i1: true>} : i32
    %more = arith.addi %grows, %i : i32
    %less = arith.subi %falls, %c1 : i32
    scf.yield %more, %less : i32, i32
  }
  // expected-remark@below {{carried: non-negative}}
  // expected-remark@below {{carried: unknown}}
  tile.print "carried: ", %r#0, %r#1 {isSigned = array<i1: true, true>} : i32, i32
  scf.for %i = %any to %n step %c1 : i32 {
    // expected-remark@below {{from anywhere: unknown}}
    tile.print "from anywhere: ", %i {isSigned = array<i1: true>} : i32
  }
  tile.return
}

// Remainders have the sign of the first operand. A maximum needs one operand, a minimum both.
// expected-remark@below {{sizes: []}}
// expected-remark@below {{limits: []}}
tile.func @arithmetic(%x: i32, %promised: i32 {tile.non_negative}) {
  %c0 = arith.constant 0 : i32
  %c7 = arith.constant 7 : i32
  %rest = arith.remsi %x, %c7 : i32
  // expected-remark@below {{remainder: unknown}}
  tile.print "remainder: ", %rest {isSigned = array<i1: true>} : i32
  %most = arith.maxsi %x, %c0 : i32
  // expected-remark@below {{maximum: non-negative}}
  tile.print "maximum: ", %most {isSigned = array<i1: true>} : i32
  %least = arith.minsi %x, %promised : i32
  // expected-remark@below {{minimum: unknown}}
  tile.print "minimum: ", %least {isSigned = array<i1: true>} : i32
  %sum = arith.addi %most, %promised : i32
  // expected-remark@below {{sum: non-negative}}
  tile.print "sum: ", %sum {isSigned = array<i1: true>} : i32
  tile.return
}
