// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=90 --split-input-file | FileCheck %s

// CHECK: llvm.mlir.global internal @__tilewright_tickets(dense<0> : tensor<16384xi32>) {addr_space = 1 : i32
// CHECK-LABEL: llvm.func @ordered
// CHECK-SAME: %[[SLOT:[a-z0-9]*]]: i32)
tile.func @ordered(%p: !tile.ptr<f32>, %x: f32, %slot: i32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.ordered} {
  // One thread polls the counter of the launch, with a timeout.
  // CHECK: llvm.cond_br
  // CHECK: nvvm.read.ptx.sreg.ctaid.z
  // CHECK: %[[TICKETS:.*]] = llvm.mlir.addressof @__tilewright_tickets
  // CHECK: llvm.getelementptr %[[TICKETS]][%[[SLOT]]]
  // CHECK: WATCH: ld.acquire.gpu.global.b32 ticket,
  // CHECK-SAME: setp.lt.u64 p, now, 20000000000; @p bra WATCH;
  // CHECK: llvm.call @__assertfail
  // CHECK: nvvm.barrier0
  warp.ticket_wait %slot
  // The atomic is between barriers, for all kinds and all executing threads.
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: atom.global.gpu.relaxed.add.f32
  // CHECK: nvvm.barrier0
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x {warp.ordered} : !tile.ptr<f32>
  // CHECK-NEXT: nvvm.barrier0
  // CHECK: llvm.cond_br
  // CHECK: nvvm.read.ptx.sreg.ctaid.x
  // CHECK: %[[LAST:.*]] = llvm.icmp "eq"
  // CHECK: llvm.select %[[LAST]]
  // CHECK: st.release.gpu.global.b32
  warp.ticket_pass %slot
  tile.return
}

// -----

#l = #warp.linear<{register = [[128]], lane = [[1], [2], [4], [8], [16]], warp = [[32], [64]]}>

// Rounds: the lowest index in each slot of the table acts.
// CHECK-LABEL: llvm.func @elements
tile.func @elements(%p: !tile.ptr<f32>, %at: i32, %x: f32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.ordered} {
  %ps = tile.splat %p : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %xs = tile.splat %x : f32 -> tensor<256xf32, #l>
  // CHECK: llvm.mlir.constant(512 : i32)
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-2: red.shared.min.u32
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-2: atom.global.gpu.relaxed.add.f32
  // CHECK: nvvm.barrier0
  // CHECK-COUNT-2: st.shared.b32
  // CHECK: %[[LEFT:.*]] = nvvm.barrier #nvvm.reduction<or>
  // CHECK: llvm.icmp "ne" %[[LEFT]]
  // CHECK: llvm.cond_br
  %0 = tile.atomic_rmw fadd relaxed gpu %ps, %xs {warp.by_element, warp.ordered, warp.shared_offset = 0 : i32} : tensor<256x!tile.ptr<f32>, #l>
  tile.return
}
