// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt %s -mlir-print-op-generic | tilewright-opt | FileCheck %s

#rows = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!ring = !warp.ring<3 x {!warp.shared<16x4xf16, #plain>, !warp.shared<16x4xf16, #plain>}, async_groups>

// CHECK-LABEL: @fill_and_read
// CHECK-SAME: %[[P:.*]]: tensor<16x4x!tile.ptr<f16>, #[[ROWS:.*]]>, %[[M:.*]]: tensor<16x4xi1, #[[ROWS]]>, %[[C:.*]]: i1, %[[I:.*]]: i32
tile.func @fill_and_read(%p: tensor<16x4x!tile.ptr<f16>, #rows>, %m: tensor<16x4xi1, #rows>, %c: i1, %i: i32)
    -> tensor<16x4xf16, #rows> {
  // CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x {!warp.shared<16x4xf16, #[[PLAIN:.*]]>, !warp.shared<16x4xf16, #[[PLAIN]]>}, async_groups>
  %ring = warp.ring : !ring
  // CHECK: %[[EMPTY:.*]], %[[TILES:.*]]:2 = warp.ring.acquire %[[RING]][%[[I]]] : !warp.ring<3 x
  %empty, %tiles:2 = warp.ring.acquire %ring[%i] : !ring
  // CHECK: warp.async_copy %[[P]], %[[TILES]]#0 mask %[[M]] if %[[C]] vector 2 : tensor<16x4x!tile.ptr<f16>, #[[ROWS]]>, !warp.shared<16x4xf16, #[[PLAIN]]>, tensor<16x4xi1, #[[ROWS]]>
  warp.async_copy %p, %tiles#0 mask %m if %c vector 2
    : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>, tensor<16x4xi1, #rows>
  // CHECK: warp.async_copy %[[P]], %[[TILES]]#1 vector 2 : tensor<16x4x!tile.ptr<f16>, #[[ROWS]]>, !warp.shared<16x4xf16, #[[PLAIN]]>{{$}}
  warp.async_copy %p, %tiles#1 vector 2 : tensor<16x4x!tile.ptr<f16>, #rows>, !warp.shared<16x4xf16, #plain>
  // CHECK: warp.ring.commit %[[EMPTY]]
  warp.ring.commit %empty
  // CHECK: %[[FULL:.*]], %[[READ:.*]]:2 = warp.ring.wait %[[RING]][%[[I]]] pending 1 : !warp.ring<3 x
  %full, %read:2 = warp.ring.wait %ring[%i] pending 1 : !ring
  %x = warp.local_load %read#0 : !warp.shared<16x4xf16, #plain> -> tensor<16x4xf16, #rows>
  // CHECK: warp.ring.release %[[FULL]]
  warp.ring.release %full
  tile.return %x : tensor<16x4xf16, #rows>
}

#two = #warp.linear<{offset = [[1]]}>
!number = !warp.ring<1 x {!warp.shared<2xi64, #two>}, transactions>

// CHECK-LABEL: @hand_over
// CHECK-SAME: %[[X:.*]]: i64
tile.func @hand_over(%x: i64) attributes {warp.num_warps = 4 : i32} {
  %ring = warp.ring : !number
  warp.specialize warps [4, 1] {
    // CHECK: %[[EMPTY:.*]], %[[FILLED:.*]] = warp.ring.acquire
    %empty, %filled = warp.ring.acquire %ring : !number
    // CHECK: warp.ring.put_scalar %[[X]], %[[FILLED]] : i64, !warp.shared<2xi64, #{{.*}}>
    warp.ring.put_scalar %x, %filled : i64, !warp.shared<2xi64, #two>
    warp.ring.commit %empty
  }, {
    // CHECK: %[[FULL:.*]], %[[READ:.*]] = warp.ring.wait
    %full, %read = warp.ring.wait %ring : !number
    // CHECK: warp.ring.get_scalar %[[READ]] : !warp.shared<2xi64, #{{.*}}>
    %y = warp.ring.get_scalar %read : !warp.shared<2xi64, #two>
    warp.ring.release %full
  }
  tile.return
}

!pair = !warp.ring<3 x {!warp.shared<2xi64, #two>}, transactions>

// CHECK-LABEL: @throttled
// CHECK-SAME: %[[R:.*]]: !warp.ring<{{.*}}>, %[[LATE:.*]]: i1, %[[X:.*]]: i64
tile.func @throttled(%ring: !pair, %late: i1, %x: i64) {
  // CHECK: warp.ring.acquire %[[R]] throttled %[[LATE]] : !warp.ring<3 x
  %empty, %filled = warp.ring.acquire %ring throttled %late : !pair
  warp.ring.put_scalar %x, %filled : i64, !warp.shared<2xi64, #two>
  warp.ring.commit %empty
  tile.return
}
