// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #shared>}, transactions>

// CHECK-LABEL: @ping_pong
tile.func @ping_pong(%n: i32, %far: i64) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %zero = arith.constant 0 : i64
  %ring = warp.ring : !ring
  // CHECK: warp.specialize warps [8, 4] ping_pong_groups 2 registers [240, 24] {
  warp.specialize warps [8, 4] ping_pong_groups 2 registers [240, 24] {
    // CHECK: %[[LEADS:.*]] = warp.pingpong_leads
    %leads = warp.pingpong_leads
    scf.if %leads {
      // CHECK: warp.pingpong_wait
      warp.pingpong_wait
      // CHECK: warp.pingpong_pass
      warp.pingpong_pass
    } else {
      // CHECK: warp.ring.skip %{{.*}} for %{{.*}} to %{{.*}} step %{{.*}} : i32, !warp.ring<2
      warp.ring.skip %ring for %c0 to %n step %c1 : i32, !ring
      // CHECK: warp.ring.skip %{{.*}} for unsigned %{{.*}} to %{{.*}} step %{{.*}} : i64, !warp.ring<2
      warp.ring.skip %ring for unsigned %zero to %far step %far : i64, !ring
    }
  }, {
  // CHECK: } {warp.pingpong_bytes = 1024 : i32}
  } {warp.pingpong_bytes = 1024 : i32}
  // One ping-pong group is not printed.
  // CHECK: warp.specialize warps [4] {
  warp.specialize warps [4] ping_pong_groups 1 {
  }
  tile.return
}
