// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
!ring = !warp.ring<3 x {!warp.shared<8x8xf32, #shared>}, transactions>

// The barriers follow the slots: three full barriers, for one arrival and the
// bytes, and three empty ones, for an arrival of each of the 4 consumer warps.
// The consumer warps share the initialisation, while the last warp prefetches
// the tensor map and continues to its role.

// CHECK-LABEL: llvm.func @roles
// CHECK-SAME: %[[MAP:.*]]: !llvm.ptr {llvm.align = 64 : i64, llvm.byval = !llvm.array<128 x i8>, nvvm.grid_constant}
// CHECK-SAME: nvvm.reqntid = array<i32: 160, 1, 1>
// CHECK-DAG: %[[C768:.*]] = llvm.mlir.constant(768 : i32)
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[C64:.*]] = llvm.mlir.constant(64 : i32)
// CHECK-DAG: %[[C32:.*]] = llvm.mlir.constant(32 : i32)
// CHECK: %[[LAST:.*]] = llvm.icmp "eq" %[[THREAD:.*]], %[[C128]]
// CHECK: "@$0 prefetch.tensormap [$1];", "b,l" %[[LAST]], %[[MAP]]
// CHECK: %[[NOT0:.*]] = llvm.icmp "ne" %[[THREAD]], %{{.*}}
// CHECK: %[[NOT1:.*]] = llvm.icmp "ne" %[[THREAD]], %[[C32]]
// CHECK: %[[NOT2:.*]] = llvm.icmp "ne" %[[THREAD]], %[[C64]]
// CHECK: llvm.alloca
// CHECK: nvvm.shfl.sync
// CHECK: llvm.icmp "ult"
// CHECK: llvm.cond_br
// CHECK: "{\0A@$0 bra made;\0Ambarrier.init.shared::cta.b64 [$1], 1;\0Ambarrier.init.shared::cta.b64 [$2], 4;\0Amade:\0A}", "b,r,r" %[[NOT0]],
// CHECK: "{\0A@$0 bra made;\0Ambarrier.init.shared::cta.b64 [$1], 1;\0Ambarrier.init.shared::cta.b64 [$2], 4;\0Amade:\0A}", "b,r,r" %[[NOT1]],
// CHECK: "{\0A@$0 bra made;\0Ambarrier.init.shared::cta.b64 [$1], 1;\0Ambarrier.init.shared::cta.b64 [$2], 4;\0Amade:\0A}", "b,r,r" %[[NOT2]],
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: bar.arrive 2, 160;
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: nvvm.bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _, [$1];
// CHECK: bar.arrive 1, 160;
// CHECK: nvvm.barrier id = %{{.*}} number_of_threads = %{{.*}}
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 256;
// CHECK: cp.async.bulk.tensor.3d.shared::cluster.global.tile.mbarrier::complete_tx::bytes [$1], [$2, {$4, $5, $6}], [$3];
tile.func @roles(%map: !warp.tensor_map, %i: i32, %c: i1) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %full, %tile = warp.ring.wait %ring : !ring
    warp.barrier
    warp.ring.release %full if %c
  }, {
    %empty, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i, %i], %tile : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
    warp.ring.commit %empty
  }
  tile.return
}

// The threads of 12 warps start with 168 registers.
// CHECK-LABEL: llvm.func @budgets
// CHECK-SAME: nvvm.minctasm = 1 : i32
// CHECK: setmaxnreg.inc.sync.aligned.u32 240;
// CHECK: setmaxnreg.inc.sync.aligned.u32 200;
// CHECK: setmaxnreg.dec.sync.aligned.u32 24;
tile.func @budgets() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 12 : i32} {
  warp.specialize warps [4, 4, 4] registers [240, 200, 24] {
  }, {
  }, {
  }
  tile.return
}

// Two CTAs fit an SM: the threads of 16 warps start with 128 registers.
// CHECK-LABEL: llvm.func @two_ctas
// CHECK-SAME: nvvm.minctasm = 2 : i32
// CHECK: setmaxnreg.inc.sync.aligned.u32 232;
// CHECK: setmaxnreg.dec.sync.aligned.u32 24;
tile.func @two_ctas() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 8 : i32} {
  warp.specialize warps [4, 4] registers [232, 24] {
  }, {
  }
  tile.return
}

// A role counts its threads from 0.
// CHECK-LABEL: llvm.func @second_role
// CHECK-DAG: %[[C128:.*]] = llvm.mlir.constant(128 : i32)
// CHECK: llvm.store
// CHECK: llvm.sub %{{.*}}, %[[C128]]
// CHECK: llvm.store
tile.func @second_role(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 8 : i32} {
  warp.specialize warps [4, 4] {
    %i = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #lanes>
    %base = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #lanes>
    tile.store %base, %i : tensor<128x!tile.ptr<i32>, #lanes>
  }, {
    %i = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32, #lanes>
    %base = tile.splat %p : !tile.ptr<i32> -> tensor<128x!tile.ptr<i32>, #lanes>
    tile.store %base, %i : tensor<128x!tile.ptr<i32>, #lanes>
  }
  tile.return
}

// A scalar: no bytes are announced. Its writer arrives, and later copies of its
// reader are ordered after the writer's accesses. Warps without the writing
// thread do not wait for the slot: it may be filled and emptied again before
// they look.
// CHECK-LABEL: llvm.func @number
// CHECK: setp.ge.u32 done, $0, 32;\0A@done bra passed;\0Aagain:\0Ambarrier.try_wait.parity.shared::cta.b64 done, [$1], $2;
// CHECK-NOT: expect_tx
// CHECK: "@$0 st.shared.b32 [$1], $2;", "b,r,r" %[[FIRST:[^,]*]],
// CHECK-NEXT: "@$0 mbarrier.arrive.shared::cta.b64 _, [$1];", "b,r" %[[FIRST]],
// CHECK: done;\0Aagain:\0Ambarrier.try_wait.parity.shared::cta.b64
// CHECK: llvm.load
// CHECK: fence.proxy.async;
// CHECK: nvvm.bar.warp.sync
// CHECK: mbarrier.arrive.shared::cta.b64 _, [$1];
// CHECK: llvm.return
#two = #warp.linear<{offset = [[1]]}>
!number = !warp.ring<1 x {!warp.shared<2xi32, #two>}, transactions>
tile.func @number(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %ring = warp.ring : !number
  warp.specialize warps [4, 1] {
    %empty, %filled = warp.ring.acquire %ring : !number
    warp.ring.put_scalar %x, %filled : i32, !warp.shared<2xi32, #two>
    warp.ring.commit %empty
  }, {
    %full, %read = warp.ring.wait %ring : !number
    %y = warp.ring.get_scalar %read : !warp.shared<2xi32, #two>
    warp.ring.release %full
    tile.store %p, %y : !tile.ptr<i32>
  }
  tile.return
}

// A throttled producer waits for the barrier of the slot that it fills. Then it waits for that of the next slot, in the
// phase in which it will fill it.
// CHECK-LABEL: llvm.func @throttled
// CHECK-SAME: %[[LATE:[a-z0-9]*]]: i1
// CHECK-DAG: %[[ZERO:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[ONE:.*]] = llvm.mlir.constant(1 : i32)
// CHECK-DAG: %[[THREE:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: bar.arrive 1, 160;
// CHECK: %[[INDEX:.*]] = llvm.load
// CHECK: %[[PARITY:.*]] = llvm.load
// CHECK: %[[SUM:.*]] = llvm.add %[[INDEX]], %[[ONE]]
// CHECK: %[[WRAPS:.*]] = llvm.icmp "eq" %[[SUM]], %[[THREE]]
// CHECK: llvm.select %[[WRAPS]], %[[ZERO]], %[[SUM]]
// CHECK: %[[SOON:.*]] = llvm.xor %[[PARITY]], %[[ONE]]
// CHECK: llvm.mul %[[INDEX]]
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}"r,r" %{{.*}}, %[[SOON]]
// CHECK: %[[NEXT:.*]] = llvm.load
// CHECK: %[[LATER:.*]] = llvm.load
// CHECK: %[[AWAITED:.*]] = llvm.select %[[LATE]], %[[NEXT]], %[[INDEX]]
// CHECK: %[[IN:.*]] = llvm.select %[[LATE]], %[[LATER]], %[[PARITY]]
// CHECK: %[[BEFORE:.*]] = llvm.xor %[[IN]], %[[ONE]]
// CHECK: llvm.mul %[[AWAITED]]
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;{{.*}}"r,r" %{{.*}}, %[[BEFORE]]
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 256;
tile.func @throttled(%late: i1, %map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %full, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %empty, %tile = warp.ring.acquire %ring throttled %late : !ring
    warp.tma_load %map[%i, %i, %i], %tile : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
    warp.ring.commit %empty
  }
  tile.return
}
