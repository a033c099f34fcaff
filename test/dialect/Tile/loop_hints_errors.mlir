// RUN: tilewright-opt %s -split-input-file -verify-diagnostics

// A loop hint on another op is an error.
tile.func @elsewhere(%n: i32) {
  // expected-error @below {{'tile.num_stages' belongs on scf.for}}
  %m = arith.addi %n, %n {tile.num_stages = 3 : i32} : i32
  tile.return
}

// -----

// Counts have one type.
tile.func @wide(%n: i32) {
  // expected-error @below {{'tile.num_stages' is an i32 of at least 0, got 3 : i64}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.num_stages = 3 : i64}
  tile.return
}

// -----

// The number of stages is not negative.
tile.func @negative(%n: i32) {
  // expected-error @below {{'tile.loop_unroll_factor' is an i32 of at least 0, got -1 : i32}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.loop_unroll_factor = -1 : i32}
  tile.return
}

// -----

// Flags take no value.
tile.func @valued() {
  %n = arith.constant 1 : i32
  // expected-error @below {{'tile.flatten' takes no value}}
  scf.for %i = %n to %n step %n : i32 {
  } {tile.flatten = true}
  tile.return
}

// -----

// This includes hints that apply to any loop.
tile.func @kept_elsewhere(%n: i32) {
  // expected-error @below {{'tile.disable_licm' belongs on scf.for or scf.while}}
  %m = arith.addi %n, %n {tile.disable_licm} : i32
  tile.return
}
