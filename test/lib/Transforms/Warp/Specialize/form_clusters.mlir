// RUN: tilewright-opt %s -split-input-file -warp-form-clusters='size=2' | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -warp-form-clusters='size=2' -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile, !tile}, transactions>
!desc = !tile.desc<64x8xf32>

// A persistent kernel: rows differ from program to program, columns seldom. Both
// roles run the iterations of the cluster. A CTA without a program repeats the one
// of the first CTA and stores nothing.

// CHECK-LABEL: @persistent
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[EXTENT:[a-z0-9]+]]: i32, %[[PTR:[a-z0-9]+]]: !tile.ptr<i32>)
// CHECK-SAME: warp.cluster_size = 2 : i32
// CHECK-NOT: warp.padded_grid
// CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x {{.*}}, transactions, cluster 2>
// CHECK-NEXT: warp.cluster_barrier rings_only
// CHECK-NEXT: warp.specialize
// CHECK: %[[RANK:.*]] = warp.cluster_rank
// CHECK-NEXT: %[[ID:.*]] = tile.program_id x
// CHECK-NEXT: %[[FIRST:.*]] = arith.subi %[[ID]], %[[RANK]]
// CHECK: scf.for %[[COUNTER:.*]] = %[[FIRST]] to %[[N]] step
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[N]], %[[COUNTER]]
// CHECK-NEXT: %[[OWN:.*]] = arith.cmpi ugt, %[[LEFT]], %[[RANK]]
// CHECK-NEXT: %[[MINE:.*]] = arith.addi %[[COUNTER]], %[[RANK]]
// CHECK-NEXT: %[[PROGRAM:.*]] = arith.select %[[OWN]], %[[MINE]], %[[COUNTER]]
// CHECK: %[[SLOT:.*]], %{{.*}} = warp.ring.wait %[[RING]] : !warp.ring<3 x {{.*}}, cluster 2>
// CHECK: warp.ring.release %[[SLOT]] : !warp.slot<cluster 2>
// CHECK-NEXT: scf.if %[[OWN]] {
// CHECK-NEXT: tile.store %[[PTR]], %[[PROGRAM]]
// CHECK-NEXT: }

// CHECK: }, {
// CHECK: %[[RANK:.*]] = warp.cluster_rank
// CHECK-NEXT: %[[C1:.*]] = arith.constant 1 : i32
// CHECK-NEXT: %[[C0:.*]] = arith.constant 0 : i32
// CHECK: scf.for %[[COUNTER:.*]] =
// CHECK: %[[ROW:.*]] = arith.remsi %[[PROGRAM:.*]], %[[EXTENT]]
// CHECK: %[[COLUMN:.*]] = arith.divsi %[[PROGRAM]], %[[EXTENT]]
// CHECK-NEXT: %[[COLUMN1:.*]] = arith.divsi %{{.*}}, %[[EXTENT]]
// CHECK-NEXT: %[[COLUMN0:.*]] = arith.divsi %{{.*}}, %[[EXTENT]]
// CHECK: scf.for %[[K:.*]] =
// CHECK: warp.tma_load %{{.*}}[%[[ROW]], %[[K]]], %{{.*}}#0 : !tile.desc
// CHECK: %[[SAME:.*]] = arith.cmpi eq, %[[COLUMN0]], %[[COLUMN1]]
// CHECK-NEXT: warp.tma_load %{{.*}}[%[[COLUMN]], %[[K]]], %{{.*}}#1 multicast if %[[SAME]] : !tile.desc
// CHECK: warp.ring.commit %{{.*}} : !warp.slot<cluster 2>
// CHECK: warp.cluster_barrier{{$}}
// CHECK-NEXT: tile.return
tile.func @persistent(%a: !desc, %n: i32, %extent: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.persistent} {
  %c0 = arith.constant 0 : i32
  %c8 = arith.constant 8 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %step = tile.num_programs x
    scf.for %x = %id to %n step %step : i32 {
      scf.for %k = %c0 to %n step %c8 : i32 {
        %slot, %tiles:2 = warp.ring.wait %ring : !ring
        warp.ring.release %slot
        tile.store %p, %x : !tile.ptr<i32>
      }
    }
  }, {
    %id = tile.program_id x
    %step = tile.num_programs x
    scf.for %x = %id to %n step %step : i32 {
      %row = arith.remsi %x, %extent : i32
      %column = arith.divsi %x, %extent : i32
      scf.for %k = %c0 to %n step %c8 : i32 {
        %slot, %tiles:2 = warp.ring.acquire %ring : !ring
        warp.tma_load %a[%row, %k], %tiles#0 : !desc, !tile
        // expected-remark@+1 {{each of the 2 CTAs of a cluster loads a part and multicasts it, if their programs load the same block}}
        warp.tma_load %a[%column, %k], %tiles#1 : !desc, !tile
        warp.ring.commit %slot
      }
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// One program per CTA, in a grid that the launch rounds up. The kernel sees the
// grid before padding. A ring that no neighbour fills stays private to the CTA.

// CHECK-LABEL: @padded
// CHECK-SAME: %[[PTR:[a-z0-9]+]]: !tile.ptr<i32>, %[[GX:[a-z0-9]+]]: i32, %[[GY:[a-z0-9]+]]: i32, %[[GZ:[a-z0-9]+]]: i32)
// CHECK-SAME: warp.padded_grid
// CHECK: %[[RING:.*]] = warp.ring : !warp.ring<3 x {{.*}}, transactions, cluster 2>
// CHECK: %[[PLAIN:.*]] = warp.ring : !warp.ring<3 x {{.*}}, transactions>
// CHECK: %[[RANK:.*]] = warp.cluster_rank
// CHECK-NEXT: %[[ID:.*]] = tile.program_id x
// CHECK-NEXT: %[[FIRST:.*]] = arith.subi %[[ID]], %[[RANK]]
// CHECK-NEXT: %[[LEFT:.*]] = arith.subi %[[GX]], %[[FIRST]]
// CHECK-NEXT: %[[OWN:.*]] = arith.cmpi ugt, %[[LEFT]], %[[RANK]]
// CHECK-NEXT: %[[MINE:.*]] = arith.addi %[[FIRST]], %[[RANK]]
// CHECK-NEXT: %[[PROGRAM:.*]] = arith.select %[[OWN]], %[[MINE]], %[[FIRST]]
// CHECK-NOT: tile.num_programs x
// CHECK: arith.addi %[[PROGRAM]], %[[GX]]
// CHECK: scf.if %[[OWN]] {
// CHECK-NEXT: tile.store %[[PTR]]
// CHECK: tile.launch_dependents
// CHECK: warp.ring.release %{{.*}} : !warp.slot<cluster 2>
// CHECK: warp.ring.release %{{.*}}{{$}}
// CHECK: warp.tma_load %{{.*}} multicast : !tile.desc
// CHECK: warp.tma_load %{{.*}}], %{{[a-z0-9_]+}} : !tile.desc
tile.func @padded(%a: !desc, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  %own = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %all = tile.num_programs x
    %rows = tile.num_programs y
    %sum = arith.addi %id, %all : i32
    tile.store %p, %sum : !tile.ptr<i32>
    tile.launch_dependents
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
    %slot1, %tile1 = warp.ring.wait %own : !ring
    warp.ring.release %slot1
  }, {
    %id = tile.program_id x
    %y = tile.program_id y
    %slot, %tile = warp.ring.acquire %ring : !ring
    // expected-remark@+1 {{each of the 2 CTAs of a cluster loads a part and multicasts it}}
    warp.tma_load %a[%y, %c0], %tile : !desc, !tile
    warp.ring.commit %slot
    %slot1, %tile1 = warp.ring.acquire %own : !ring
    warp.tma_load %a[%id, %c0], %tile1 : !desc, !tile
    warp.ring.commit %slot1
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// A kernel with its own loop over tiles, in a grid that is rounded up. A CTA
// outside of the grid has no tile and does nothing outside of the loop.

// CHECK-LABEL: @own_loop
// CHECK-SAME: %[[N:[a-z0-9]+]]: i32, %[[PTR:[a-z0-9]+]]: !tile.ptr<i32>, %[[GX:[a-z0-9]+]]: i32
// CHECK: %[[LAUNCHED:.*]] = arith.cmpi ugt
// CHECK: scf.for %[[COUNTER:.*]] = %{{.*}} to %[[N]] step %[[GX]]
// CHECK: %[[BEFORE:.*]] = arith.cmpi ugt
// CHECK-NEXT: %[[OWN:.*]] = arith.andi %[[BEFORE]], %[[LAUNCHED]]
// CHECK-NEXT: %[[MINE:.*]] = arith.addi %[[COUNTER]], %{{.*}}
// CHECK-NEXT: %[[TILE:.*]] = arith.select %[[OWN]], %[[MINE]], %[[COUNTER]]
// CHECK: scf.if %[[OWN]]
// CHECK-NEXT: tile.store %[[PTR]], %[[TILE]]
// CHECK: scf.if %[[LAUNCHED]]
// CHECK-NEXT: tile.store %[[PTR]], %[[N]]
tile.func @own_loop(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %step = tile.num_programs x
    scf.for %x = %id to %n step %step : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      tile.store %p, %x : !tile.ptr<i32>
    }
    tile.store %p, %n : !tile.ptr<i32>
  }, {
    %id = tile.program_id x
    %step = tile.num_programs x
    scf.for %x = %id to %n step %step : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      // expected-remark@+1 {{each of the 2 CTAs of a cluster loads a part and multicasts it}}
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// A second tile counter, which starts one step before the first tile, becomes the
// induction variable.

// CHECK-LABEL: @second_counter
// CHECK: scf.for %[[COUNTER:.*]] = %{{.*}} to %{{.*}} step %c132_i32
// CHECK: %[[TILE:.*]] = arith.select %{{.*}}, %{{.*}}, %[[COUNTER]]
// CHECK: scf.if
// CHECK-NEXT: tile.store %{{.*}}, %[[TILE]]
tile.func @second_counter(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %step = arith.constant 132 : i32
  %back = arith.constant -132 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %before = arith.addi %id, %back : i32
    %r = scf.for %x = %id to %n step %step iter_args(%count = %before) -> (i32) : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      %next = arith.addi %count, %step : i32
      tile.store %p, %next : !tile.ptr<i32>
      scf.yield %next : i32
    }
  }, {
    %id = tile.program_id x
    scf.for %x = %id to %n step %step : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      // expected-remark@+1 {{each of the 2 CTAs of a cluster loads a part and multicasts it}}
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}
