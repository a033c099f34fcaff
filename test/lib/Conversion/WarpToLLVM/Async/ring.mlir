// RUN: tilewright-opt %s -warp-to-llvm-pipeline | FileCheck %s

#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4]], lane = [[0, 8], [1, 0], [2, 0], [4, 0], [8, 0]], warp = [[0, 0]]}>
#pairs = #warp.linear<{register = [[0, 1]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[8, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [1, 0], [2, 0], [4, 0], [8, 0]]}>
#narrow = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!ring = !warp.ring<3 x {!warp.shared<16x16xf16, #plain>, !warp.shared<16x8xf16, #narrow>}, async_groups>

// CHECK-LABEL: llvm.func @ring
// CHECK-SAME: %[[P:[^:]*]]: !llvm.ptr<1>
tile.func @ring(%p: !tile.ptr<f16>, %i: i32, %c: i1, %k: i1) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // CHECK: %[[SHARED:.*]] = llvm.mlir.addressof @__tilewright_shared
  // CHECK: %[[RING:.*]] = llvm.getelementptr %[[SHARED]][2048]
  %ring = warp.ring {warp.shared_offset = 2048 : i32} : !ring
  %q = tile.splat %p : !tile.ptr<f16> -> tensor<16x16x!tile.ptr<f16>, #rows>
  %r = tile.splat %p : !tile.ptr<f16> -> tensor<16x8x!tile.ptr<f16>, #pairs>
  %m = tile.splat %k : i1 -> tensor<16x16xi1, #rows>
  // A slot is 512 + 256 bytes, aligned to 512.
  // CHECK: %[[OFFSET:.*]] = llvm.mul %{{.*}}, %[[BYTES:.*]] : i32
  // CHECK: %[[SLOT:.*]] = llvm.getelementptr %[[RING]][%[[OFFSET]]]
  // CHECK: %[[SECOND:.*]] = llvm.getelementptr %[[SLOT]][512]
  %e, %t:2 = warp.ring.acquire %ring[%i] : !ring
  // The second warp holds copies; the mask selects the number of bytes to read.
  // CHECK: %[[OWNER:.*]] = llvm.icmp "eq"
  // CHECK: %[[ON:.*]] = llvm.and %[[OWNER]], %{{.*}} : i1
  // CHECK: %[[READ:.*]] = llvm.select %{{.*}}, %{{.*}}, %{{.*}} : i1, i32
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"@$0 cp.async.cg.shared.global.L2::128B [$1], [$2], 16, $3;", "b,r,l,r" %[[ON]], %{{.*}}, %{{.*}}, %[[READ]]
  warp.async_copy %q, %t#0 mask %m if %c vector 8
    : tensor<16x16x!tile.ptr<f16>, #rows>, !warp.shared<16x16xf16, #plain>, tensor<16x16xi1, #rows>
  // CHECK: llvm.inline_asm has_side_effects {{.*}}"cp.async.ca.shared.global.L2::128B [$0], [$1], 4;", "r,l"
  // CHECK-NOT: cp.async.ca
  warp.async_copy %r, %t#1 vector 2 : tensor<16x8x!tile.ptr<f16>, #pairs>, !warp.shared<16x8xf16, #narrow>
  // CHECK: nvvm.cp.async.commit.group
  warp.ring.commit %e
  // CHECK: nvvm.cp.async.wait.group 1
  %f, %u:2 = warp.ring.wait %ring[%i] pending 1 : !ring
  // CHECK: nvvm.barrier0
  warp.barrier
  // CHECK: nvvm.ldmatrix
  %x = warp.local_load %u#1 : !warp.shared<16x8xf16, #narrow> -> tensor<16x8xf16, #pairs>
  tile.store %r, %x : tensor<16x8x!tile.ptr<f16>, #pairs>
  // CHECK: llvm.return
  warp.ring.release %f
  tile.return
}

// A slot that a loop carries is also released without an instruction.
// CHECK-LABEL: llvm.func @carried
// CHECK-NOT: mbarrier
// CHECK: llvm.return
tile.func @carried(%n: i32, %i: i32, %c: i1) attributes {tile.kernel, warp.num_warps = 2 : i32} {
  %zero = arith.constant 0 : i32
  %one = arith.constant 1 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ring
  %first, %t:2 = warp.ring.wait %ring[%zero] pending 1 : !ring
  %last = scf.for %j = %one to %n step %one iter_args(%held = %first) -> (!warp.slot) : i32 {
    %slot, %u:2 = warp.ring.wait %ring[%i] pending 1 : !ring
    warp.ring.release %held
    scf.yield %slot : !warp.slot
  }
  %either = scf.if %c -> (!warp.slot) {
    scf.yield %last : !warp.slot
  } else {
    scf.yield %last : !warp.slot
  }
  warp.ring.release %either
  tile.return
}
