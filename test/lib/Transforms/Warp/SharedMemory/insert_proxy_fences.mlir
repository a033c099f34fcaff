// RUN: tilewright-opt %s -warp-allocate-shared -warp-insert-barriers -warp-insert-proxy-fences -warp-check-barriers | FileCheck %s

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
#rows = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#rb = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>

// One fence for both operands, before the barrier that the wgmma needs. The stores
// of the next iteration come after a barrier that follows its wait.
// CHECK-LABEL: @loop
// CHECK: scf.for
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.alloc
// CHECK-NEXT: warp.alloc
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait
// CHECK-NEXT: scf.yield
tile.func @loop(%x: tensor<64x32xf16, #rows>, %y: tensor<32x16xf16, #rb>, %c: tensor<64x16xf32, #c>, %n: i32) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %r = scf.for %i = %c0 to %n step %c1 iter_args(%acc = %c) -> tensor<64x16xf32, #c> : i32 {
    %a = warp.alloc %x : (tensor<64x32xf16, #rows>) -> !warp.shared<64x32xf16, #a>
    %b = warp.alloc %y : (tensor<32x16xf16, #rb>) -> !warp.shared<32x16xf16, #b>
    %s = warp.wgmma %a, %b, %acc : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    scf.yield %d : tensor<64x16xf32, #c>
  }
  tile.return
}

// Stores that a barrier separates share the fence after the last one. Other stores
// have none.
// CHECK-LABEL: @apart
// CHECK: warp.local_store
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.local_store
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.local_store
// CHECK-NEXT: warp.barrier
// CHECK: warp.wgmma
// CHECK-NOT: warp.proxy_fence
// CHECK: tile.return
tile.func @apart(%x: tensor<64x32xf16, #rows>, %y: tensor<32x16xf16, #rb>, %c: tensor<64x16xf32, #c>) {
  %a = warp.alloc : !warp.shared<64x32xf16, #a>
  %b = warp.alloc : !warp.shared<32x16xf16, #b>
  %o = warp.alloc : !warp.shared<64x32xf16, #a>
  warp.local_store %x, %a : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  warp.barrier
  warp.local_store %y, %b : tensor<32x16xf16, #rb> -> !warp.shared<32x16xf16, #b>
  warp.local_store %x, %o : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  %s = warp.wgmma %a, %b, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  %z = warp.local_load %o : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  warp.local_store %z, %o : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  tile.return
}

// Copies to a slot have arrived after the wait for them, so the fence comes between
// that wait and the barrier.
// CHECK-LABEL: @ring
// CHECK: warp.ring.wait
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
// CHECK-NOT: warp.proxy_fence
// CHECK: tile.return
tile.func @ring(%c: tensor<64x16xf32, #c>) {
  %i = arith.constant 0 : i32
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, async_groups>
  %empty:3 = warp.ring.acquire %ring[%i] : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, async_groups>
  warp.ring.commit %empty#0
  %full:3 = warp.ring.wait %ring[%i] pending 0 : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, async_groups>
  %s = warp.wgmma %full#1, %full#2, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  warp.ring.release %full#0
  tile.return
}

// A fence orders reads of a slot by threads before the copies that refill it. Reads
// by wgmma use the same proxy as the copies.
// CHECK-LABEL: @read_slot
// CHECK: warp.ring.wait
// CHECK-NEXT: warp.local_load
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: warp.ring.wait
// CHECK-NEXT: warp.wgmma
// CHECK-NEXT: warp.wgmma_wait
// CHECK-NEXT: warp.ring.release
tile.func @read_slot(%c: tensor<64x16xf32, #c>) -> tensor<64x32xf16, #rows> {
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %both = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, transactions>
  %full:2 = warp.ring.wait %ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %x = warp.local_load %full#1 : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  warp.ring.release %full#0
  %next:3 = warp.ring.wait %both : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, transactions>
  %s = warp.wgmma %next#1, %next#2, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  warp.ring.release %next#0
  tile.return %x : tensor<64x32xf16, #rows>
}

// The same for slots that a loop carries to the next iteration. The first iteration
// carries no slot.
// CHECK-LABEL: @held_slot
// CHECK: scf.for
// CHECK: warp.local_load
// CHECK: warp.proxy_fence
// CHECK-NEXT: warp.ring.release %{{.*}} if
// CHECK: warp.proxy_fence
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: tile.return
tile.func @held_slot(%n: i32, %c: i1) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %none = warp.ring.no_slot : !warp.slot
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%held = %none) -> !warp.slot : i32 {
    %full:2 = warp.ring.wait %ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
    %x = warp.local_load %full#1 : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
    warp.ring.release %held if %c
    scf.yield %full#0 : !warp.slot
  }
  warp.ring.release %last
  tile.return
}

// Wgmmas that read loop-carried slots need no fence.
// CHECK-LABEL: @held_operands
// CHECK-NOT: warp.proxy_fence
// CHECK: tile.return
tile.func @held_operands(%n: i32, %c: i1, %acc: tensor<64x16xf32, #c>) {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, transactions>
  %none = warp.ring.no_slot : !warp.slot
  %last = scf.for %i = %c0 to %n step %c1 iter_args(%held = %none) -> !warp.slot : i32 {
    %full:3 = warp.ring.wait %ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>}, transactions>
    %s = warp.wgmma %full#1, %full#2, %acc : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
    %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
    warp.ring.release %held if %c
    scf.yield %full#0 : !warp.slot
  }
  warp.ring.release %last
  tile.return
}

// Stores that a wgmma separates have a fence each.
// CHECK-LABEL: @separated
// CHECK: warp.local_store
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
// CHECK: warp.local_store
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
tile.func @separated(%x: tensor<64x32xf16, #rows>, %y: !warp.shared<32x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  %a = warp.alloc : !warp.shared<64x32xf16, #a>
  %b = warp.alloc : !warp.shared<64x32xf16, #a>
  warp.local_store %x, %a : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  %s = warp.wgmma %a, %y, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  warp.local_store %x, %b : tensor<64x32xf16, #rows> -> !warp.shared<64x32xf16, #a>
  %t = warp.wgmma %b, %y, %s : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %t {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// The release of a slot whose content threads store elsewhere moves after the fence
// of that store,
// CHECK-LABEL: @passed_on
// CHECK: warp.local_load
// CHECK: warp.alloc
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: warp.barrier
// CHECK-NEXT: warp.wgmma
tile.func @passed_on(%y: !warp.shared<32x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %full:2 = warp.ring.wait %ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %x = warp.local_load %full#1 : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  warp.ring.release %full#0
  %a = warp.alloc %x : (tensor<64x32xf16, #rows>) -> !warp.shared<64x32xf16, #a>
  %s = warp.wgmma %a, %y, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// but not after computation on it, during which the next copies may begin,
// CHECK-LABEL: @computed_between
// CHECK: warp.local_load
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: math.absf
// CHECK: warp.alloc
// CHECK-NEXT: warp.proxy_fence
tile.func @computed_between(%y: !warp.shared<32x16xf16, #b>, %c: tensor<64x16xf32, #c>) {
  %ring = warp.ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %full:2 = warp.ring.wait %ring : !warp.ring<2 x {!warp.shared<64x32xf16, #a>}, transactions>
  %x = warp.local_load %full#1 : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  warp.ring.release %full#0
  %z = math.absf %x : tensor<64x32xf16, #rows>
  %a = warp.alloc %z : (tensor<64x32xf16, #rows>) -> !warp.shared<64x32xf16, #a>
  %s = warp.wgmma %a, %y, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  tile.return
}

// nor after a wait, which may depend on the slot.
// CHECK-LABEL: @waits_between
// CHECK: warp.local_load
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.ring.release
// CHECK-NEXT: warp.ring.wait
// CHECK: warp.alloc
// CHECK-NEXT: warp.proxy_fence
// CHECK-NEXT: warp.barrier
tile.func @waits_between(%c: tensor<64x16xf32, #c>) {
  %ring = warp.ring : !warp.ring<1 x {!warp.shared<64x32xf16, #a>}, transactions>
  %other = warp.ring : !warp.ring<1 x {!warp.shared<32x16xf16, #b>}, transactions>
  %full:2 = warp.ring.wait %ring : !warp.ring<1 x {!warp.shared<64x32xf16, #a>}, transactions>
  %x = warp.local_load %full#1 : !warp.shared<64x32xf16, #a> -> tensor<64x32xf16, #rows>
  warp.ring.release %full#0
  %next:2 = warp.ring.wait %other : !warp.ring<1 x {!warp.shared<32x16xf16, #b>}, transactions>
  %a = warp.alloc %x : (tensor<64x32xf16, #rows>) -> !warp.shared<64x32xf16, #a>
  %s = warp.wgmma %a, %next#1, %c : !warp.shared<64x32xf16, #a>, !warp.shared<32x16xf16, #b>, tensor<64x16xf32, #c>
  %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x16xf32, #c>
  warp.ring.release %next#0
  tile.return
}
