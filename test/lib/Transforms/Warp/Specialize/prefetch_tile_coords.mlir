// RUN: tilewright-opt %s -warp-prefetch-tile-coords | FileCheck %s
// RUN: tilewright-opt %s -warp-prefetch-tile-coords -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   | FileCheck %s --check-prefix=LLVM

#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
!a = !warp.shared<8x8xf32, #a>
!ring = !warp.ring<3 x {!a}, transactions>

// The producer computes the coordinates of the first tile before its loop, and those of the next one at the end of an
// iteration. No part of the latter can be hoisted. The loop of the other role, and coordinates without divisions, do not
// change.

// CHECK-LABEL: @coords
// CHECK-SAME: (%[[MAP:.*]]: !warp.tensor_map, %[[N:[a-z0-9]*]]: i32, %[[COLUMNS:[a-z0-9]*]]: i32
// CHECK: warp.specialize
// CHECK: scf.for %[[TILE:[a-z0-9]*]] = %{{.*}} to %[[N]] step %{{.*}}  : i32
// CHECK-NEXT: arith.divsi %[[TILE]], %[[COLUMNS]]
// CHECK: }, {
// CHECK: %[[FIRST:.*]] = tile.program_id x
// CHECK: %[[STEP:.*]] = tile.num_programs x
// CHECK: %[[ROW0:.*]] = arith.divsi %[[FIRST]], %[[COLUMNS]]
// CHECK: %[[COORD0:.*]] = arith.muli %[[ROW0]], %{{.*}}
// CHECK: %[[HERE:.*]] = warp.opaque %[[COORD0]]
// CHECK-NEXT: scf.for %[[TILE:[a-z0-9]*]] = %[[FIRST]] to %[[N]] step %[[STEP]] iter_args(%[[COORD:[a-z0-9]*]] = %[[HERE]])
// CHECK-NEXT: warp.ring.acquire
// CHECK-NEXT: warp.tma_load %[[MAP]][%[[COORD]], %[[COORD]]]
// CHECK-NEXT: warp.ring.commit
// CHECK-NEXT: %[[NEXT:.*]] = arith.addi %[[TILE]], %[[STEP]]
// CHECK-NEXT: %[[COLUMNS1:.*]] = warp.opaque %[[COLUMNS]]
// CHECK-NEXT: %[[ROW1:.*]] = arith.divsi %[[NEXT]], %[[COLUMNS1]]
// CHECK-NEXT: %[[COORD1:.*]] = arith.muli %[[ROW1]], %{{.*}}
// CHECK-NEXT: scf.yield %[[COORD1]]
// CHECK: scf.for %{{.*}} = %{{.*}} to %{{.*}} step %{{.*}}  : i32 {
// CHECK-NEXT: arith.addi
// CHECK-NEXT: warp.ring.acquire

// The role that initializes the barriers waits at once, the other one after its divisions. Each waits at its own barrier
// for all 160 threads, at which the other role arrives without waiting.

// LLVM-LABEL: llvm.func @coords
// LLVM-NOT: mbarrier.init
// LLVM-NOT: nvvm.barrier
// LLVM: llvm.cond_br
// LLVM-NOT: llvm.sdiv
// LLVM: mbarrier.init
// LLVM: fence.mbarrier_init.release.cluster;
// LLVM: bar.arrive 2, 160;
// LLVM: %[[OWN0:.*]] = llvm.mlir.constant(1 : i32)
// LLVM: %[[THREADS0:.*]] = llvm.mlir.constant(160 : i32)
// LLVM: nvvm.barrier id = %[[OWN0]] number_of_threads = %[[THREADS0]]
// LLVM: bar.arrive 1, 160;
// LLVM: llvm.sdiv
// LLVM-NOT: llvm.cond_br
// LLVM: %[[OWN1:.*]] = llvm.mlir.constant(2 : i32)
// LLVM: %[[THREADS1:.*]] = llvm.mlir.constant(160 : i32)
// LLVM: nvvm.barrier id = %[[OWN1]] number_of_threads = %[[THREADS1]]
// LLVM: llvm.cond_br
// LLVM-NOT: nvvm.barrier
// LLVM: llvm.return
tile.func @coords(%map: !warp.tensor_map, %n: i32, %columns: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %unit = arith.constant 8 : i32
  %zero = arith.constant 0 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %first = tile.program_id x
    %step = tile.num_programs x
    scf.for %tile = %first to %n step %step : i32 {
      %row = arith.divsi %tile, %columns : i32
      %slot, %x = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      tile.store %p, %row : !tile.ptr<i32>
    }
  }, {
    %first = tile.program_id x
    %step = tile.num_programs x
    scf.for %tile = %first to %n step %step : i32 {
      %row = arith.divsi %tile, %columns : i32
      %coord = arith.muli %row, %unit : i32
      %slot, %x = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%coord, %coord], %x : !warp.tensor_map, !a
      warp.ring.commit %slot
    }
    scf.for %tile = %first to %n step %step : i32 {
      %coord = arith.addi %tile, %unit : i32
      %slot, %x = warp.ring.acquire %ring : !ring
      warp.tma_load %map[%coord, %coord], %x : !warp.tensor_map, !a
      warp.ring.commit %slot
    }
  }
  tile.return
}

// The number of blocks along k is the same for all tiles and is not carried; only the coordinates are.

// CHECK-LABEL: @same_for_all
// CHECK-SAME: (%[[MAP:.*]]: !warp.tensor_map, %[[N:[a-z0-9]*]]: i32, %[[COLUMNS:[a-z0-9]*]]: i32, %[[K:[a-z0-9]*]]: i32)
// CHECK: }, {
// CHECK: %[[FIRST:.*]] = tile.program_id x
// CHECK: %[[ROW0:.*]] = arith.divsi %[[FIRST]], %[[COLUMNS]]
// CHECK: %[[HERE:.*]] = warp.opaque %[[ROW0]]
// CHECK-NEXT: scf.for %[[TILE:[a-z0-9]*]] = %[[FIRST]] to %[[N]] step %{{.*}} iter_args(%[[ROW:[a-z0-9]*]] = %[[HERE]])
// CHECK-NEXT: %[[BLOCKS:.*]] = arith.divsi %[[K]], %{{.*}}
// CHECK-NEXT: scf.for %[[I:[a-z0-9]*]] = %{{.*}} to %[[BLOCKS]]
// CHECK-NEXT: warp.ring.acquire
// CHECK-NEXT: warp.tma_load %[[MAP]][%[[ROW]], %[[I]]]
// CHECK: %[[COLUMNS1:.*]] = warp.opaque %[[COLUMNS]]
// CHECK-NEXT: %[[ROW1:.*]] = arith.divsi %{{.*}}, %[[COLUMNS1]]
// CHECK-NEXT: scf.yield %[[ROW1]]
tile.func @same_for_all(%map: !warp.tensor_map, %n: i32, %columns: i32, %k: i32)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %unit = arith.constant 8 : i32
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %first = tile.program_id x
    %step = tile.num_programs x
    scf.for %tile = %first to %n step %step : i32 {
      %blocks = arith.divsi %k, %unit : i32
      scf.for %i = %zero to %blocks step %one : i32 {
        %slot, %x = warp.ring.wait %ring : !ring
        warp.ring.release %slot
      }
    }
  }, {
    %first = tile.program_id x
    %step = tile.num_programs x
    scf.for %tile = %first to %n step %step : i32 {
      %row = arith.divsi %tile, %columns : i32
      %blocks = arith.divsi %k, %unit : i32
      scf.for %i = %zero to %blocks step %one : i32 {
        %slot, %x = warp.ring.acquire %ring : !ring
        warp.tma_load %map[%row, %i], %x : !warp.tensor_map, !a
        warp.ring.commit %slot
      }
    }
  }
  tile.return
}
