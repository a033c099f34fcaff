// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#b = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!a = !warp.shared<8x8xf32, #a>
!b = !warp.shared<64x8xf32, #b>
!ring = !warp.ring<3 x {!a, !b}, transactions, cluster 2>

// An empty barrier counts the 4 consumer warps of both CTAs; a full one the
// arrival of its own producer. Each lane signals one CTA.

// CHECK-LABEL: llvm.func @multicast
// CHECK-SAME: nvvm.cluster_dim = array<i32: 2, 1, 1>
// CHECK: mbarrier.init.shared::cta.b64 [$1], 1;
// CHECK-SAME: mbarrier.init.shared::cta.b64 [$2], 8;
// CHECK: fence.mbarrier_init.release.cluster;
// CHECK: nvvm.cluster.arrive.relaxed {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;
// CHECK: %[[TELLS:.*]] = llvm.icmp "ult" %[[LANE:.*]], %{{.*}} : i32
// CHECK: llvm.inline_asm has_side_effects "{\0A.reg .b32 there;\0A@$0 mapa.shared::cluster.u32 there, $1, $2;\0A@$0 mbarrier.arrive.shared::cluster.b64 _, [there];\0A}", "b,r,r" %[[TELLS]], %{{.*}}, %[[LANE]]
// CHECK: mbarrier.try_wait.parity.shared::cta.b64 done, [$0], $1;
// CHECK: mbarrier.arrive.expect_tx.shared::cta.b64 _, [$1], 2304;

// The first tile is this CTA's own. Of the second, 64 rows of 32 bytes, each
// CTA copies 32 rows to both CTAs, or else all rows to itself.
// CHECK: complete_tx::bytes [$1], [$2, {$4, $5}], [$3];
// CHECK: %[[BY:.*]] = llvm.mul %[[RANK:.*]], %[[BYTES:.*]] : i32
// CHECK: %[[TO:.*]] = llvm.add %[[BASE:.*]], %[[BY]]
// CHECK: llvm.mul %[[RANK]], %[[ROWS:.*]] : i32
// CHECK: complete_tx::bytes.multicast::cluster [$1], [$2, {$4, $5}], [$3], $6;", "b,r,l,r,r,r,h" %{{.*}}, %[[TO]]
// CHECK: complete_tx::bytes [$1], [$2, {$4, $5}], [$3];", "b,r,l,r,r,r" %{{.*}}, %[[BASE]]
// CHECK: llvm.add %[[BASE]], %[[BYTES]]
// CHECK: llvm.add %{{.*}}, %[[ROWS]]
// CHECK: complete_tx::bytes [$1]
// CHECK: nvvm.cluster.arrive {aligned}
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: llvm.return

// PTX: .visible .entry multicast
// PTX: .explicitcluster
// PTX: .reqnctapercluster 2, 1, 1
// PTX: barrier.cluster.arrive.relaxed.aligned;
// PTX: barrier.cluster.wait.aligned;
// PTX: mapa.shared::cluster.u32
// PTX: multicast::cluster
// PTX: barrier.cluster.arrive.aligned;
// PTX: barrier.cluster.wait.aligned;
tile.func @multicast(%map: !warp.tensor_map, %i: i32, %j: i32, %same: i1)
    attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32, warp.cluster_size = 2 : i32} {
  %ring = warp.ring : !ring
  warp.cluster_barrier rings_only
  warp.specialize warps [4, 1] {
    %full, %x, %y = warp.ring.wait %ring : !ring
    warp.ring.release %full : !warp.slot<cluster 2>
  }, {
    %empty, %x, %y = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %j], %x : !warp.tensor_map, !a
    warp.tma_load %map[%i, %j], %y multicast if %same : !warp.tensor_map, !b
    warp.ring.commit %empty : !warp.slot<cluster 2>
  }
  warp.cluster_barrier
  tile.return
}

// The memory of another CTA is read word by word through its own addresses: `ldmatrix` reads only this CTA's memory.

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#columns = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>

// CHECK-LABEL: llvm.func @remote
// CHECK: nvvm.cluster.wait {aligned}
// CHECK: %[[THERE:.*]] = nvvm.mapa %{{.*}}, %{{.*}} : !llvm.ptr<3> -> !llvm.ptr<7>
// CHECK: llvm.getelementptr %[[THERE]]
// CHECK-COUNT-2: llvm.load %{{.*}} : !llvm.ptr<7> -> i32
// CHECK-NOT: ldmatrix
// CHECK: nvvm.cluster.wait {aligned}
// PTX: .visible .entry remote
// PTX: mov.u32 %r{{[0-9]+}}, %cluster_ctarank;
// PTX: mapa.shared::cluster.u32
// PTX: ld.shared::cluster.b
// PTX: barrier.cluster.wait.aligned;
tile.func @remote(%p: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32, warp.cluster_size = 2 : i32} {
  %m = warp.alloc {cluster = 2 : i32} : !warp.shared<16x8xf16, #columns>
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #rows>
  %x = tile.load %q : tensor<16x8x!tile.ptr<f16>, #rows>
  warp.local_store %x, %m : tensor<16x8xf16, #rows> -> !warp.shared<16x8xf16, #columns>
  warp.cluster_barrier
  %rank = warp.cluster_rank
  %y = warp.remote_load %m of %rank : !warp.shared<16x8xf16, #columns> -> tensor<16x8xf16, #rows>
  warp.cluster_barrier
  tile.store %q, %y : tensor<16x8x!tile.ptr<f16>, #rows>
  tile.return
}
