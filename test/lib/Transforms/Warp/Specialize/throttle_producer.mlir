// RUN: tilewright-opt %s -warp-throttle-producer | FileCheck %s
// RUN: tilewright-opt %s -warp-throttle-producer -warp-check-rings -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0], [64, 0]]}>
#half = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64], [0, 128]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [64, 0]]}>
#h = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0], [0, 64], [0, 128]]}>
!a = !warp.shared<128x64xf16, #a>
!h = !warp.shared<64x64xf16, #h>
!b = !warp.shared<64x256xf16, #b>
!four = !warp.ring<4 x {!a, !b}, transactions>
!three = !warp.ring<3 x {!a, !b}, transactions>
!six = !warp.ring<6 x {!h, !b}, transactions>
!few = !warp.ring<4 x {!h, !b}, transactions>

// A step takes 1024 clocks, so three slots hide the memory latency. The fourth one stays empty after the first
// iterations of a long loop.

// CHECK-LABEL: @spare
// CHECK-SAME: %[[N:[a-z0-9]*]]: i32
// CHECK: }, {
// CHECK: %[[LONG_STEPS:.*]] = arith.constant 96 : i32
// CHECK: %[[ALL:.*]] = arith.subi %[[N]], %[[LOWER:.*]] : i32
// CHECK: %[[ENOUGH:.*]] = arith.muli %[[STEP:.*]], %[[LONG_STEPS]]
// CHECK: %[[LONG:.*]] = arith.cmpi sge, %[[ALL]], %[[ENOUGH]]
// CHECK: scf.for %[[I:.*]] = %[[LOWER]] to %[[N]] step %[[STEP]]
// CHECK: %[[FIRST_STEPS:.*]] = arith.constant 8 : i32
// CHECK: %[[DONE:.*]] = arith.subi %[[I]], %[[LOWER]] : i32
// CHECK: %[[FIRST:.*]] = arith.muli %[[STEP]], %[[FIRST_STEPS]]
// CHECK: %[[LATE:.*]] = arith.cmpi sge, %[[DONE]], %[[FIRST]]
// CHECK: %[[PACED:.*]] = arith.andi %[[LONG]], %[[LATE]]
// CHECK: warp.ring.acquire %{{.*}} throttled %[[PACED]] :
tile.func @spare(%n: i32, %map: !warp.tensor_map, %zero: tensor<128x256xf32, #c>) attributes {warp.num_warps = 8 : i32, warp.block_warps = 9 : i32, warp.shared_size = 196672 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !four
  warp.specialize warps [8, 1] {
    %none = warp.ring.no_slot
    %end:2 = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero, %held = %none) -> (tensor<128x256xf32, #c>, !warp.slot) : i32 {
      %full, %x, %y = warp.ring.wait %ring : !four
      %t = warp.wgmma %x, %y, %s : !a, !b, tensor<128x256xf32, #c>
      %u = warp.wgmma_wait %t {pendings = 1 : i32} : tensor<128x256xf32, #c>
      %is_later = arith.cmpi ne, %i, %c0 : i32
      warp.ring.release %held if %is_later
      scf.yield %u, %full : tensor<128x256xf32, #c>, !warp.slot
    }
    %v = warp.wgmma_wait %end#0 {pendings = 0 : i32} : tensor<128x256xf32, #c>
    %any = arith.cmpi slt, %c0, %n : i32
    warp.ring.release %end#1 if %any
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      // expected-remark@+1 {{copies run 2 iterations ahead in loops of 96 and more iterations: that hides the memory latency and keeps CTAs together}}
      %empty, %x, %y = warp.ring.acquire %ring : !four
      warp.tma_load %map[%c0, %i], %x : !warp.tensor_map, !a
      warp.tma_load %map[%i, %c0], %y : !warp.tensor_map, !b
      warp.ring.commit %empty
    }
  }
  tile.return
}

// Three slots have none to spare.

// CHECK-LABEL: @none_to_spare
// CHECK-NOT: throttled
tile.func @none_to_spare(%n: i32, %map: !warp.tensor_map, %zero: tensor<128x256xf32, #c>) attributes {warp.num_warps = 8 : i32, warp.block_warps = 9 : i32, warp.shared_size = 147504 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !three
  warp.specialize warps [8, 1] {
    %end = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32, #c>) : i32 {
      %full, %x, %y = warp.ring.wait %ring : !three
      %t = warp.wgmma %x, %y, %s : !a, !b, tensor<128x256xf32, #c>
      %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<128x256xf32, #c>
      warp.ring.release %full
      scf.yield %u : tensor<128x256xf32, #c>
    }
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      %empty, %x, %y = warp.ring.acquire %ring : !three
      warp.tma_load %map[%c0, %i], %x : !warp.tensor_map, !a
      warp.tma_load %map[%i, %c0], %y : !warp.tensor_map, !b
      warp.ring.commit %empty
    }
  }
  tile.return
}

// Four slots have none to spare if a step takes half as long.

// CHECK-LABEL: @short_steps
// CHECK-NOT: throttled
tile.func @short_steps(%n: i32, %map: !warp.tensor_map, %zero: tensor<64x256xf32, #half>) attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32, warp.shared_size = 163904 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !few
  warp.specialize warps [4, 1] {
    %end = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x256xf32, #half>) : i32 {
      %full, %x, %y = warp.ring.wait %ring : !few
      %t = warp.wgmma %x, %y, %s : !h, !b, tensor<64x256xf32, #half>
      %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x256xf32, #half>
      warp.ring.release %full
      scf.yield %u : tensor<64x256xf32, #half>
    }
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      %empty, %x, %y = warp.ring.acquire %ring : !few
      warp.tma_load %map[%c0, %i], %x : !warp.tensor_map, !h
      warp.tma_load %map[%i, %c0], %y : !warp.tensor_map, !b
      warp.ring.commit %empty
    }
  }
  tile.return
}

// Kernels whose source defines the roles do not change.

// CHECK-LABEL: @explicit
// CHECK-NOT: throttled
tile.func @explicit(%n: i32, %map: !warp.tensor_map, %zero: tensor<128x256xf32, #c>) attributes {warp.explicit, warp.num_warps = 8 : i32, warp.block_warps = 9 : i32, warp.shared_size = 196672 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !four
  warp.specialize warps [8, 1] {
    %end = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<128x256xf32, #c>) : i32 {
      %full, %x, %y = warp.ring.wait %ring : !four
      %t = warp.wgmma %x, %y, %s : !a, !b, tensor<128x256xf32, #c>
      %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<128x256xf32, #c>
      warp.ring.release %full
      scf.yield %u : tensor<128x256xf32, #c>
    }
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      %empty, %x, %y = warp.ring.acquire %ring : !four
      warp.tma_load %map[%c0, %i], %x : !warp.tensor_map, !a
      warp.tma_load %map[%i, %c0], %y : !warp.tensor_map, !b
      warp.ring.commit %empty
    }
  }
  tile.return
}

// Copies are not throttled for a consumer that holds all slots before it releases one.

// CHECK-LABEL: @all
// CHECK-NOT: throttled
tile.func @all(%n: i32, %map: !warp.tensor_map, %zero: tensor<128x256xf32, #c>) attributes {warp.num_warps = 8 : i32, warp.block_warps = 9 : i32, warp.shared_size = 196672 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c4 = arith.constant 4 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !four
  warp.specialize warps [8, 1] {
    scf.for %i = %c0 to %n step %c64 : i32 {
      %s0, %x0, %y0 = warp.ring.wait %ring : !four
      %t0 = warp.wgmma %x0, %y0, %zero : !a, !b, tensor<128x256xf32, #c>
      %s1, %x1, %y1 = warp.ring.wait %ring : !four
      %t1 = warp.wgmma %x1, %y1, %t0 : !a, !b, tensor<128x256xf32, #c>
      %s2, %x2, %y2 = warp.ring.wait %ring : !four
      %t2 = warp.wgmma %x2, %y2, %t1 : !a, !b, tensor<128x256xf32, #c>
      %s3, %x3, %y3 = warp.ring.wait %ring : !four
      %t3 = warp.wgmma %x3, %y3, %t2 : !a, !b, tensor<128x256xf32, #c>
      %u = warp.wgmma_wait %t3 {pendings = 0 : i32} : tensor<128x256xf32, #c>
      warp.ring.release %s0
      warp.ring.release %s1
      warp.ring.release %s2
      warp.ring.release %s3
    }
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      scf.for %j = %c0 to %c4 step %c1 : i32 {
        %empty, %x, %y = warp.ring.acquire %ring : !four
        warp.tma_load %map[%j, %i], %x : !warp.tensor_map, !a
        warp.tma_load %map[%i, %j], %y : !warp.tensor_map, !b
        warp.ring.commit %empty
      }
    }
  }
  tile.return
}

// Ping-pong groups are throttled like other consumers.

// CHECK-LABEL: @ping_pong
// CHECK: warp.ring.acquire %{{.*}} throttled %
tile.func @ping_pong(%n: i32, %map: !warp.tensor_map, %zero: tensor<64x256xf32, #half>) attributes {warp.num_warps = 4 : i32, warp.block_warps = 9 : i32, warp.shared_size = 225000 : i32} {
  %c0 = arith.constant 0 : i32
  %c64 = arith.constant 64 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !six
  warp.specialize warps [8, 1] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      %end = scf.for %i = %c0 to %n step %c64 iter_args(%s = %zero) -> (tensor<64x256xf32, #half>) : i32 {
        %full, %x, %y = warp.ring.wait %ring : !six
        %t = warp.wgmma %x, %y, %s : !h, !b, tensor<64x256xf32, #half>
        %u = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x256xf32, #half>
        warp.ring.release %full
        scf.yield %u : tensor<64x256xf32, #half>
      }
    } else {
      warp.ring.skip %ring for %c0 to %n step %c64 : i32, !six
    }
  }, {
    scf.for %i = %c0 to %n step %c64 : i32 {
      // expected-remark@+1 {{copies run 4 iterations ahead in loops of 96 and more iterations}}
      %empty, %x, %y = warp.ring.acquire %ring : !six
      warp.tma_load %map[%c0, %i], %x : !warp.tensor_map, !h
      warp.tma_load %map[%i, %c0], %y : !warp.tensor_map, !b
      warp.ring.commit %empty
    }
  }
  tile.return
}
