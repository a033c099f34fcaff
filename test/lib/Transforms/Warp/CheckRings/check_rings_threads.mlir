// RUN: tilewright-opt %s -warp-check-barriers -warp-check-rings -o /dev/null
// RUN: tilewright-test-opt %s -test-break-rings -o /dev/null | FileCheck %s

// Like check_rings.mlir, for threads that read or fill slots themselves.

// This includes the fence between reads of threads and the next copy. Without it,
// TF32 matmuls returned wrong results on the device.
// CHECK: erase warp.proxy_fence: rule 'fence before release' is broken

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#ra = #warp.linear<{register = [[0, 1], [0, 2], [0, 4], [32, 0]], lane = [[0, 8], [0, 16], [1, 0], [2, 0], [4, 0]], warp = [[8, 0], [16, 0]]}>
#ra1 = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#rb = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [8, 0], [16, 0], [0, 1], [0, 2]], warp = [[0, 4], [0, 8]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#bt = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!bt = !warp.shared<16x32xf16, #bt>
!b = !warp.shared<32x16xf16, #b>
!acc = tensor<64x16xf32, #c>
!ra = !warp.ring<2 x {!a}, transactions>
!rb = !warp.ring<2 x {!bt}, transactions>
!own = !warp.ring<3 x {!a, !b}, async_groups>

// Operands that threads read from slots, change and store for a wgmma.
tile.func @through_threads(%map: !warp.tensor_map, %k: i32, %zero: !acc)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %left = warp.ring {warp.shared_offset = 0 : i32} : !ra
  %right = warp.ring {warp.shared_offset = 16384 : i32} : !rb
  warp.specialize warps [4, 1] {
    %r = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (!acc) : i32 {
      %slot, %a = warp.ring.wait %left : !ra
      %x = warp.local_load %a : !a -> tensor<64x32xf16, #ra>
      warp.proxy_fence
      warp.ring.release %slot
      warp.barrier {test.harmless = {move_up = "it orders the tiles of the iterations, not the slot"}}
      %xs = warp.alloc %x {warp.shared_offset = 32768 : i32} : (tensor<64x32xf16, #ra>) -> !a
      %slot1, %b = warp.ring.wait %right : !rb
      %y = warp.local_load %b : !bt -> tensor<16x32xf16, #ra1>
      warp.proxy_fence
      warp.ring.release %slot1
      %ys = warp.alloc %y {warp.shared_offset = 40960 : i32} : (tensor<16x32xf16, #ra1>) -> !bt
      warp.proxy_fence
      warp.barrier
      %yt = warp.shared_transpose %ys {order = array<i32: 1, 0>} : !bt -> !b
      %s = warp.wgmma %xs, %yt, %acc : !a, !b, !acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
      scf.yield %d : !acc
    }
  }, {
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot, %a = warp.ring.acquire %left : !ra
      warp.tma_load %map[%c0, %i], %a : !warp.tensor_map, !a
      warp.ring.commit %slot
      %slot1, %b = warp.ring.acquire %right : !rb
      warp.tma_load %map[%c0, %i], %b : !warp.tensor_map, !bt
      warp.ring.commit %slot1
    }
  }
  tile.return
}

// Threads that prefetch for themselves, in a ring for each program.
tile.func @own_copies(%pa: tensor<64x32x!tile.ptr<f16>, #ra>, %pb: tensor<32x16x!tile.ptr<f16>, #rb>, %trips: i32, %programs: i32, %zero: !acc)
    attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c2 = arith.constant 2 : i32
  %c3 = arith.constant 3 : i32
  scf.for %p = %c0 to %programs step %c1 : i32 {
    %ring = warp.ring {warp.shared_offset = 0 : i32} : !own
    %any = arith.cmpi ugt, %trips, %c0 : i32
    warp.barrier {test.harmless = {move_down = "to acquire the slot is no access yet"}}
    %s0, %a0, %b0 = warp.ring.acquire %ring[%c0] : !own
    warp.async_copy %pa, %a0 if %any vector 8 : tensor<64x32x!tile.ptr<f16>, #ra>, !a
    warp.async_copy %pb, %b0 if %any vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
    warp.ring.commit %s0
    %more = arith.cmpi ugt, %trips, %c1 : i32
    %s1, %a1, %b1 = warp.ring.acquire %ring[%c1] : !own
    warp.async_copy %pa, %a1 if %more vector 8 : tensor<64x32x!tile.ptr<f16>, #ra>, !a
    warp.async_copy %pb, %b1 if %more vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
    warp.ring.commit %s1
    %r:4 = scf.for %i = %c0 to %trips step %c1 iter_args(%acc = %zero, %read = %c0, %fill = %c2, %left = %trips) -> (!acc, i32, i32, i32) : i32 {
      %slot, %a, %b = warp.ring.wait %ring[%read] pending 1 : !own
      warp.proxy_fence
      warp.barrier {test.harmless = {move_down = "to acquire the slot is no access yet"}}
      %on = arith.cmpi ugt, %left, %c2 : i32
      %empty, %an, %bn = warp.ring.acquire %ring[%fill] : !own
      warp.async_copy %pa, %an if %on vector 8 : tensor<64x32x!tile.ptr<f16>, #ra>, !a
      warp.async_copy %pb, %bn if %on vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
      warp.ring.commit %empty
      %s = warp.wgmma %a, %b, %acc : !a, !b, !acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
      warp.ring.release %slot
      %next = arith.addi %read, %c1 : i32
      %wraps = arith.cmpi eq, %next, %c3 : i32
      %new = arith.select %wraps, %c0, %next : i32
      %less = arith.subi %left, %c1 : i32
      scf.yield %d, %new, %read, %less : !acc, i32, i32, i32
    }
  }
  tile.return
}

// Threads that read their own copies, as on GPUs before Hopper.
tile.func @own_reads(%pa: tensor<64x32x!tile.ptr<f16>, #ra>, %pb: tensor<32x16x!tile.ptr<f16>, #rb>, %trips: i32)
    attributes {warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !warp.ring<2 x {!a, !b}, async_groups>
  %any = arith.cmpi ugt, %trips, %c0 : i32
  %s0, %a0, %b0 = warp.ring.acquire %ring[%c0] : !warp.ring<2 x {!a, !b}, async_groups>
  warp.async_copy %pa, %a0 if %any vector 8 : tensor<64x32x!tile.ptr<f16>, #ra>, !a
  warp.async_copy %pb, %b0 if %any vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
  warp.ring.commit %s0
  %r:3 = scf.for %i = %c0 to %trips step %c1 iter_args(%read = %c0, %fill = %c1, %left = %trips) -> (i32, i32, i32) : i32 {
    %slot, %a, %b = warp.ring.wait %ring[%read] pending 0 : !warp.ring<2 x {!a, !b}, async_groups>
    warp.barrier {test.harmless = {move_down = "to acquire the slot is no access yet"}}
    %on = arith.cmpi ugt, %left, %c1 : i32
    %empty, %an, %bn = warp.ring.acquire %ring[%fill] : !warp.ring<2 x {!a, !b}, async_groups>
    warp.async_copy %pa, %an if %on vector 8 : tensor<64x32x!tile.ptr<f16>, #ra>, !a
    warp.async_copy %pb, %bn if %on vector 4 : tensor<32x16x!tile.ptr<f16>, #rb>, !b
    warp.ring.commit %empty
    %x = warp.local_load %a : !a -> tensor<64x32xf16, #ra>
    %y = warp.local_load %b : !b -> tensor<32x16xf16, #rb>
    warp.ring.release %slot
    %less = arith.subi %left, %c1 : i32
    scf.yield %fill, %read, %less : i32, i32, i32
  }
  tile.return
}
