// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s
// RUN: tilewright-opt %s -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#lanes = #warp.linear<{lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>
#row = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64]]}>
!ring = !warp.ring<3 x {!warp.shared<8x8xf32, #shared>}, transactions>

// The 4 warps of one ping-pong group release each slot. Threads are numbered within the group. It has its own barrier,
// after those of the CTA and its roles, and its own shared memory.

// CHECK-LABEL: llvm.func @own
// CHECK-DAG: %[[BYTES:.*]] = llvm.mlir.constant(1024 : i32)
// CHECK-DAG: %[[BITS:.*]] = llvm.mlir.constant(7 : i32)
// CHECK-DAG: %[[MASK:.*]] = llvm.mlir.constant(127 : i32)
// CHECK-DAG: %[[THREADS:.*]] = llvm.mlir.constant(128 : i32)
// CHECK-DAG: %[[BARRIER:.*]] = llvm.mlir.constant(3 : i32)
// CHECK: mbarrier.init.shared::cta.b64 [$1], 1;
// CHECK-SAME: mbarrier.init.shared::cta.b64 [$2], 4;
// CHECK: %[[GROUP:.*]] = llvm.lshr %{{.*}}, %[[BITS]]
// CHECK: llvm.mul %[[GROUP]], %[[BYTES]]
// CHECK: llvm.and %{{.*}}, %[[MASK]]
// CHECK: %[[ID:.*]] = llvm.add %{{.*}}, %[[BARRIER]]
// CHECK: nvvm.barrier id = %[[ID]] number_of_threads = %[[THREADS]]
tile.func @own(%map: !warp.tensor_map, %i: i32, %x: f32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 9 : i32} {
  %ring = warp.ring : !ring
  warp.specialize warps [8, 1] ping_pong_groups 2 {
    %m = warp.alloc : !warp.shared<128xf32, #row>
    %y = tile.splat %x : f32 -> tensor<128xf32, #lanes>
    warp.local_store %y, %m : tensor<128xf32, #lanes> -> !warp.shared<128xf32, #row>
    warp.barrier
    %full, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %empty, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
    warp.ring.commit %empty
  }
  tile.return
}

// The cursor advances by the iterations of a loop, modulo the slots; each round
// flips the parity. A 64-bit count is reduced modulo two rounds.
// CHECK-LABEL: llvm.func @skip
// CHECK-DAG: %[[ROUND:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[TWO:.*]] = llvm.mlir.constant(6 : i32)
// CHECK-DAG: %[[WIDE:.*]] = llvm.mlir.constant(6 : i64)
// CHECK: %[[RUNS:.*]] = llvm.icmp "slt" %[[LOWER:.*]], %[[UPPER:.*]] : i32
// CHECK: %[[DIFFERENCE:.*]] = llvm.sub %[[UPPER]], %[[LOWER]]
// CHECK: %[[SPAN:.*]] = llvm.sub %[[DIFFERENCE]], %[[ONE:[^ ]*]]
// CHECK: %[[LESS:.*]] = llvm.udiv %[[SPAN]]
// CHECK: %[[TRIPS:.*]] = llvm.add %[[LESS]], %[[ONE]]
// CHECK: %[[COUNT:.*]] = llvm.select %[[RUNS]], %[[TRIPS]], %{{.*}}
// CHECK: %[[REST:.*]] = llvm.urem %[[COUNT]], %[[TWO]]
// CHECK: %[[NEXT:.*]] = llvm.add %{{.*}}, %[[REST]]
// CHECK: llvm.udiv %[[NEXT]], %[[ROUND]]
// CHECK: llvm.urem %[[NEXT]], %[[ROUND]]
// CHECK: llvm.xor
// CHECK: llvm.icmp "ult" %{{.*}} : i64
// CHECK: %[[FAR:.*]] = llvm.urem %{{.*}}, %[[WIDE]]
// CHECK: llvm.trunc %[[FAR]] : i64 to i32
tile.func @skip(%n: i32, %m: i32, %far: i64) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 12 : i32} {
  %zero = arith.constant 0 : i64
  %ring = warp.ring : !ring
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %full, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %full
    warp.ring.skip %ring for %n to %m step %n : i32, !ring
    warp.ring.skip %ring for unsigned %zero to %far step %far : i64, !ring
  }, {
  }
  tile.return
}

// A group waits at its own barrier for the group that passes it the turn. The barriers follow those of roles and
// warpgroups: 3 after 2 roles, 6 after 3 warpgroups.
// CHECK-LABEL: llvm.func @turns
// CHECK-DAG: %[[BOTH:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[FIRST:.*]] = llvm.mlir.constant(6 : i32)
// CHECK: nvvm.shfl.sync
// CHECK: %[[OWN:.*]] = llvm.add %{{.*}}, %[[FIRST]]
// CHECK: nvvm.barrier id = %[[OWN]] number_of_threads = %[[BOTH]]
// CHECK: %[[NEXT:.*]] = llvm.select
// CHECK: %[[OTHER:.*]] = llvm.add %[[NEXT]], %[[FIRST]]
// CHECK: llvm.inline_asm has_side_effects "bar.arrive $0, 256;", "r" %[[OTHER]]

// PTX-LABEL: .visible .entry turns(
// PTX-DAG: bar.sync %r{{[0-9]+}}, 256;
// PTX-DAG: bar.arrive %r{{[0-9]+}}, 256;
tile.func @turns(%p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 12 : i32} {
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %leads = warp.pingpong_leads
    scf.if %leads {
      warp.pingpong_wait
    } else {
      warp.pingpong_pass
    }
  }, {
  }
  tile.return
}
