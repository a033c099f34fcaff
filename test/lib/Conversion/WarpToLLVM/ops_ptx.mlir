// RUN: tilewright-opt %s -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s

// The final PTX of each op; cluster.mlir has the ops of clusters.

#lanes = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#turned = #warp.linear<{register = [[1, 0], [0, 8], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>
#columns = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// Fragments of tensor cores are stored to and loaded from shared memory as matrices, transposed if needed.
// CHECK-LABEL: .visible .entry memory(
// CHECK: stmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16
tile.func @memory(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #lanes>
  %x = tile.load %q : tensor<16x16x!tile.ptr<f16>, #lanes>
  %m = warp.alloc : !warp.shared<16x16xf16, #columns>
  warp.local_store %x, %m : tensor<16x16xf16, #lanes> -> !warp.shared<16x16xf16, #columns>
  warp.barrier
  %t = warp.shared_transpose %m {order = array<i32: 1, 0>}
    : !warp.shared<16x16xf16, #columns> -> !warp.shared<16x16xf16, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>>
  %y = warp.local_load %t : !warp.shared<16x16xf16, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [0, 1], [0, 2], [0, 4], [0, 8]]}>> -> tensor<16x16xf16, #lanes>
  tile.store %q, %y : tensor<16x16x!tile.ptr<f16>, #lanes>
  tile.return
}

// The thread of the atomic operations releases the accesses of all threads.
// CHECK-LABEL: .visible .entry release(
// CHECK: fence.acq_rel.gpu;
// CHECK: bar.sync 0;
// CHECK: @%p{{[0-9]+}} fence.acq_rel.gpu;
tile.func @release() attributes {tile.kernel, warp.num_warps = 1 : i32} {
  warp.barrier release gpu
  tile.return
}

// Lanes of a warp exchange elements.
// CHECK-LABEL: .visible .entry layouts(
// CHECK: shfl.sync
tile.func @layouts(%p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %q = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #lanes>
  %x = tile.load %q : tensor<16x16x!tile.ptr<f32>, #lanes>
  %y = warp.convert_layout %x : tensor<16x16xf32, #lanes> -> tensor<16x16xf32, #turned>
  %r = tile.splat %p : !tile.ptr<f32> -> tensor<16x16x!tile.ptr<f32>, #turned>
  tile.store %r, %y : tensor<16x16x!tile.ptr<f32>, #turned>
  tile.return
}

#a = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{register = [[1, 0], [8, 0]], lane = [[2, 0], [4, 0], [0, 1], [0, 2], [0, 4]]}>
#c = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!copies = !warp.ring<3 x {!warp.shared<16x16xf16, #columns>}, async_groups>

// CHECK-LABEL: .visible .entry copies(
// CHECK: cp.async.cg.shared.global
// CHECK: cp.async.commit_group;
// CHECK: cp.async.wait_group 1;
// CHECK: bar.sync 0;
// CHECK: ldmatrix.sync.aligned.m8n8.x4.shared.b16
// CHECK: mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32
tile.func @copies(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %pb: !tile.ptr<f16>, %o: !tile.ptr<f32>, %i: i32)
    attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %ring = warp.ring : !copies
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #rows>
  %empty, %to = warp.ring.acquire %ring[%i] : !copies
  warp.async_copy %q, %to vector 8 : tensor<16x16x!tile.ptr<f16>, #rows>, !warp.shared<16x16xf16, #columns>
  warp.ring.commit %empty
  %full, %from = warp.ring.wait %ring[%i] pending 1 : !copies
  warp.barrier
  %x = warp.local_load %from : !warp.shared<16x16xf16, #columns> -> tensor<16x16xf16, #a>
  warp.ring.release %full
  %qb = tile.splat %pb : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #b>
  %y = tile.load %qb : tensor<16x8x!tile.ptr<f16>, #b>
  %zero = arith.constant dense<0.0> : tensor<16x8xf32, #c>
  %d = warp.mma %x, %y, %zero : tensor<16x16xf16, #a>, tensor<16x8xf16, #b>, tensor<16x8xf32, #c>
  %r = tile.splat %o : !tile.ptr<f32> -> tensor<16x8x!tile.ptr<f32>, #c>
  tile.store %r, %d : tensor<16x8x!tile.ptr<f32>, #c>
  tile.return
}

#acc = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#left = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#right = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
#stored = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
!ring = !warp.ring<2 x {!warp.shared<64x32xf16, #left>, !warp.shared<16x32xf16, #stored>}, transactions>

// CHECK-LABEL: .visible .entry roles(
// CHECK: mbarrier.init.shared::cta.b64
// The first role reads slots.
// CHECK: setmaxnreg.dec.sync.aligned.u32 240;
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: wgmma.mma_async.sync.aligned.m64n16k16.f32.f16.f16
// CHECK: wgmma.wait_group.sync.aligned 0;
// CHECK: mbarrier.arrive.shared::cta.b64
// CHECK: bar.sync 15, 256;
// CHECK: fence.proxy.async.shared::cta;
// CHECK: cp.async.bulk.tensor.2d.global.shared::cta.tile.bulk_group
// CHECK: cp.async.bulk.commit_group;
// CHECK: cp.async.bulk.wait_group.read 0;
// The second one fills them.
// CHECK: setmaxnreg.dec.sync.aligned.u32 24;
// CHECK: bar.arrive 15, 256;
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64
// CHECK: cp.async.bulk.tensor.2d.shared::cluster.global.tile.mbarrier::complete_tx::bytes
tile.func @roles(%map: !warp.tensor_map, %i: i32, %c: i1)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 8 : i32} {
  %ring = warp.ring : !ring
  warp.specialize warps [4, 4] registers [240, 24] {
    %zero = arith.constant dense<0.0> : tensor<64x16xf32, #acc>
    %none = warp.ring.no_slot
    %full, %a, %n = warp.ring.wait %ring : !ring
    %b = warp.shared_transpose %n {order = array<i32: 1, 0>} : !warp.shared<16x32xf16, #stored> -> !warp.shared<32x16xf16, #right>
    %s = warp.wgmma %a, %b, %zero : !warp.shared<64x32xf16, #left>, !warp.shared<32x16xf16, #right>, tensor<64x16xf32, #acc>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #acc>
    warp.ring.release %none if %c
    warp.ring.release %full
    warp.named_barrier_wait 0 warps 8
    warp.proxy_fence
    %staging = warp.alloc : !warp.shared<4096xi8, #bytes>
    warp.tma_store %d, %map[%i, %i] through %staging
      : tensor<64x16xf32, #acc>, !warp.tensor_map, !warp.shared<4096xi8, #bytes>
    warp.tma_store_wait %staging : !warp.shared<4096xi8, #bytes>
  }, {
    warp.named_barrier_arrive 0 warps 8
    %empty, %a, %b = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %a : !warp.tensor_map, !warp.shared<64x32xf16, #left>
    warp.tma_load %map[%i, %i], %b : !warp.tensor_map, !warp.shared<16x32xf16, #stored>
    warp.ring.commit %empty
  }
  tile.return
}

// Ops of an unlikely branch are not hoisted out of it.
// CHECK-LABEL: .visible .entry rarely(
// CHECK-NOT: div.u32
// CHECK: bra
// CHECK: div.u32
tile.func @rarely(%c: i1, %x: i32, %y: i32, %p: !tile.ptr<i32>)
    attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %r = scf.if %c -> i32 {
    scf.yield %x : i32
  } else {
    warp.unlikely
    %late = warp.opaque %x : i32
    %z = arith.divui %y, %late : i32
    scf.yield %z : i32
  }
  tile.store %p, %r : !tile.ptr<i32>
  tile.return
}

// CHECK-LABEL: .visible .entry ordered(
// CHECK: ld.acquire.gpu.global.b32 ticket,
// CHECK: bar.sync 0;
// CHECK: st.release.gpu.global.b32
tile.func @ordered(%slot: i32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  warp.ticket_wait %slot
  warp.ticket_pass %slot
  tile.return
}

// A scalar passes between roles: written, signalled, and its writer's accesses
// are ordered before the reader's copies.
// CHECK-LABEL: .visible .entry number(
// CHECK: st.shared.b32
// CHECK: mbarrier.arrive.shared::cta.b64 _,
// CHECK: mbarrier.try_wait.parity.shared::cta.b64
// CHECK: ld.shared.b32
// CHECK: fence.proxy.async;
#two = #warp.linear<{offset = [[1]]}>
!number = !warp.ring<1 x {!warp.shared<2xi32, #two>}, transactions>
tile.func @number(%p: !tile.ptr<i32>, %x: i32)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
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

// Stores have arrived before other programs are notified.
// CHECK-LABEL: .visible .entry told(
// CHECK: cp.async.bulk.wait_group 0;
// CHECK: atom.global.gpu.release.add.u32
#row = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}>
tile.func @told(%p: !tile.ptr<i32>, %x: i32) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %staging = warp.alloc : !warp.shared<1024xi8, #row>
  warp.tma_store_wait %staging arrived : !warp.shared<1024xi8, #row>
  %old = tile.atomic_rmw add release gpu %p, %x : !tile.ptr<i32>
  tile.return
}

// Values of a sched_anchor are computed before the branch that depends on them, even if they are used much later.

// CHECK-LABEL: .visible .entry known(
// CHECK: div.u32
// CHECK: setp.eq.and.u32 none, %r{{[0-9]+}}, 0, none; @none exit;
// CHECK: bar.sync
tile.func @known(%x: i32, %y: i32, %l: i64, %m: i64, %p: !tile.ptr<i32>, %q: !tile.ptr<i64>)
    attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %z = arith.divui %x, %y : i32
  %w = arith.divui %l, %m : i64
  warp.sched_anchor %z, %w : i32, i64
  warp.barrier
  tile.store %p, %z : !tile.ptr<i32>
  tile.store %q, %w : !tile.ptr<i64>
  tile.return
}
