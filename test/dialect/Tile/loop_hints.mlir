// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @hints
// CHECK: } {tile.flatten, tile.loop_unroll_factor = 2 : i32, tile.num_stages = 3 : i32}
tile.func @hints(%n: i32, %step: i32) attributes {tile.kernel} {
  scf.for %i = %n to %n step %step : i32 {
  } {tile.num_stages = 3 : i32, tile.loop_unroll_factor = 2 : i32, tile.flatten}
  // CHECK: attributes {tile.disable_licm}
  scf.while : () -> () {
    %done = arith.cmpi slt, %n, %step : i32
    scf.condition(%done)
  } do {
    scf.yield
  } attributes {tile.disable_licm}
  tile.return
}
