// RUN: tilewright-opt %s -warp-check-barriers -warp-check-rings -o /dev/null
// RUN: tilewright-test-opt %s -test-break-rings -o /dev/null | FileCheck %s

// Output of the compiler for kernels, shortened. All of it keeps the rules. Erasing,
// moving or weakening an op that orders others is an error, unless `test.harmless`
// gives a reason.

// This includes the fence between reads of threads and the next copy. Without it,
// TF32 matmuls returned wrong results on the device.
// CHECK: erase warp.proxy_fence: rule 'fence before release' is broken

#c = #warp.linear<{register = [[0, 1], [8, 0], [0, 8]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#ra1 = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [8, 0]]}>
#wa = #warp.linear<{register = [[0, 1], [8, 0], [0, 8], [0, 16]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = [[16, 0], [32, 0]]}>
#a = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0], [16, 0], [32, 0]]}>
#bt = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 8], [4, 16], [8, 0]]}>
#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512], [1024], [2048]]}>
#b = #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [0, 1], [8, 2], [16, 4], [0, 8]]}>
!a = !warp.shared<64x32xf16, #a>
!bt = !warp.shared<16x32xf16, #bt>
!b = !warp.shared<32x16xf16, #b>
!bytes = !warp.shared<4096xi8, #bytes>
!acc = tensor<64x16xf32, #c>
!ab = !warp.ring<3 x {!a, !bt}, transactions>
!ra = !warp.ring<2 x {!a}, transactions>
!rb = !warp.ring<2 x {!bt}, transactions>

// A persistent matmul that waits for each wgmma one iteration later.
tile.func @late_waits(%map: !warp.tensor_map, %out: !warp.tensor_map, %programs: i32, %k: i32, %zero: !acc)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ab
  %staging = warp.alloc {warp.shared_offset = 32768 : i32} : !bytes
  warp.specialize warps [4, 1] {
    %pid = tile.program_id x
    scf.for %p = %pid to %programs step %c1 : i32 {
      %none = warp.ring.no_slot
      %runs = arith.cmpi sgt, %k, %c0 : i32
      %r = scf.if %runs -> (!acc) {
        %result, %last = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %held = %none) -> (!acc, !warp.slot) : i32 {
          %slot, %a, %bt = warp.ring.wait %ring : !ab
          %b = warp.shared_transpose %bt {order = array<i32: 1, 0>} : !bt -> !b
          %s = warp.wgmma %a, %b, %acc : !a, !b, !acc
          %d = warp.wgmma_wait %s {pendings = 1 : i32} : !acc
          %notFirst = arith.cmpi ne, %i, %c0 : i32
          warp.ring.release %held if %notFirst
          scf.yield %d, %slot : !acc, !warp.slot
        }
        %done = warp.wgmma_wait %result {pendings = 0 : i32} : !acc
        warp.ring.release %last
        scf.yield %done : !acc
      } else {
        scf.yield %zero : !acc
      }
      warp.tma_store %r, %out[%p, %c0] through %staging : !acc, !warp.tensor_map, !bytes
    }
    warp.tma_store_wait %staging : !bytes
  }, {
    %pid = tile.program_id x
    scf.for %p = %pid to %programs step %c1 : i32 {
      scf.for %i = %c0 to %k step %c32 : i32 {
        %slot, %a, %b = warp.ring.acquire %ring : !ab
        warp.tma_load %map[%p, %i], %a : !warp.tensor_map, !a
        warp.tma_load %map[%p, %i], %b : !warp.tensor_map, !bt
        warp.ring.commit %slot
      }
    }
  }
  tile.return
}

// One program: the staging buffer reuses the slots after the last read.
tile.func @after_the_last_slot(%map: !warp.tensor_map, %out: !warp.tensor_map, %k: i32, %zero: !acc)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ab
  warp.specialize warps [4, 1] {
    %staging = warp.alloc {warp.shared_offset = 0 : i32, test.harmless = {move_memory = "it is there already"}} : !bytes
    %result = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero) -> (!acc) : i32 {
      %slot, %a, %bt = warp.ring.wait %ring : !ab
      %b = warp.shared_transpose %bt {order = array<i32: 1, 0>} : !bt -> !b
      %s = warp.wgmma %a, %b, %acc : !a, !b, !acc
      %d = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
      warp.ring.release %slot
      scf.yield %d : !acc
    }
    warp.barrier
    warp.tma_store %result, %out[%c0, %c0] through %staging : !acc, !warp.tensor_map, !bytes
    warp.tma_store_wait %staging : !bytes
  }, {
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot, %a, %b = warp.ring.acquire %ring : !ab
      warp.tma_load %map[%c0, %i], %a : !warp.tensor_map, !a
      warp.tma_load %map[%c0, %i], %b : !warp.tensor_map, !bt
      warp.ring.commit %slot
    }
  }
  tile.return
}

// Two ping-pong groups that alternate between tiles. A table gives the number of
// blocks of each tile.
tile.func @ping_pong(%map: !warp.tensor_map, %out: !warp.tensor_map, %programs: i32, %table: !tile.ptr<i32>, %zero: !acc)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 12 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %c32 = arith.constant 32 : i32
  %true = arith.constant true
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ab
  warp.specialize warps [8, 4] ping_pong_groups 2 {
    %staging = warp.alloc {warp.shared_offset = 32768 : i32} : !bytes
    %pid = tile.program_id x
    %leads = warp.pingpong_leads
    %follows = arith.xori %leads, %true : i1
    scf.if %follows {
      warp.pingpong_pass
    }
    %rest = scf.for %p = %pid to %programs step %c1 iter_args(%mine = %leads) -> (i1) : i32 {
      %at = tile.addptr %table, %p : !tile.ptr<i32>, i32
      %k = tile.load %at : !tile.ptr<i32>
      scf.if %mine {
        warp.pingpong_wait
        %none = warp.ring.no_slot
        %runs = arith.cmpi sgt, %k, %c0 : i32
        %r = scf.if %runs -> (!acc) {
          %result, %last = scf.for %i = %c0 to %k step %c32 iter_args(%acc = %zero, %held = %none) -> (!acc, !warp.slot) : i32 {
            %slot, %a, %bt = warp.ring.wait %ring : !ab
            %b = warp.shared_transpose %bt {order = array<i32: 1, 0>} : !bt -> !b
            %s = warp.wgmma %a, %b, %acc : !a, !b, !acc
            %d = warp.wgmma_wait %s {pendings = 1 : i32} : !acc
            %notFirst = arith.cmpi ne, %i, %c0 : i32
            warp.ring.release %held if %notFirst
            scf.yield %d, %slot : !acc, !warp.slot
          }
          warp.pingpong_pass
          %done = warp.wgmma_wait %result {pendings = 0 : i32} : !acc
          warp.ring.release %last
          scf.yield %done : !acc
        } else {
          warp.pingpong_pass
          scf.yield %zero : !acc
        }
        warp.tma_store %r, %out[%p, %c0] through %staging : !acc, !warp.tensor_map, !bytes
      } else {
        warp.ring.skip %ring for %c0 to %k step %c32 : i32, !ab
      }
      %theirs = arith.xori %mine, %true : i1
      scf.yield %theirs : i1
    }
    scf.if %rest {
      warp.pingpong_wait
    }
    warp.tma_store_wait %staging : !bytes
  }, {
    %pid = tile.program_id x
    scf.for %p = %pid to %programs step %c1 : i32 {
      %at = tile.addptr %table, %p : !tile.ptr<i32>, i32
      %k = tile.load %at : !tile.ptr<i32>
      scf.for %i = %c0 to %k step %c32 : i32 {
        %slot, %a, %b = warp.ring.acquire %ring : !ab
        warp.tma_load %map[%p, %i], %a : !warp.tensor_map, !a
        warp.tma_load %map[%p, %i], %b : !warp.tensor_map, !bt
        warp.ring.commit %slot
      }
    }
  } {warp.pingpong_bytes = 4096 : i32}
  tile.return
}

// Two dots, the second one iteration late, with operand A in registers.
tile.func @chained(%map: !warp.tensor_map, %k: i32, %zero: !acc, %lhs: tensor<64x32xf16, #wa>) -> !acc
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %query = warp.ring {warp.shared_offset = 0 : i32} : !ra
  %first = warp.ring {warp.shared_offset = 16384 : i32} : !rb
  %second = warp.ring {warp.shared_offset = 32768 : i32} : !rb
  warp.specialize warps [4, 1] {
    %q, %a = warp.ring.wait %query : !ra
    %runs = arith.cmpi sgt, %k, %c0 : i32
    %r = scf.if %runs -> (!acc) {
      %slot0, %bt0 = warp.ring.wait %first : !rb
      %b0 = warp.shared_transpose %bt0 {order = array<i32: 1, 0>} : !bt -> !b
      %s0 = warp.wgmma %a, %b0, %zero : !a, !b, !acc
      %d0 = warp.wgmma_wait %s0 {pendings = 0 : i32} : !acc
      warp.ring.release %slot0
      %result = scf.for %i = %c32 to %k step %c32 iter_args(%acc = %zero) -> (!acc) : i32 {
        %slot1, %bt1 = warp.ring.wait %first : !rb
        %b1 = warp.shared_transpose %bt1 {order = array<i32: 1, 0>} : !bt -> !b
        %s1 = warp.wgmma %a, %b1, %zero : !a, !b, !acc
        %slot2, %bt2 = warp.ring.wait %second : !rb
        %b2 = warp.shared_transpose %bt2 {order = array<i32: 1, 0>} : !bt -> !b
        %s2 = warp.wgmma %lhs, %b2, %acc : tensor<64x32xf16, #wa>, !b, !acc
        %d1 = warp.wgmma_wait %s1 {pendings = 1 : i32} : !acc
        warp.ring.release %slot1
        %e = math.exp2 %d1 : !acc
        %d2 = warp.wgmma_wait %s2 {pendings = 0 : i32} : !acc
        warp.ring.release %slot2
        %f = arith.addf %d2, %e : !acc
        scf.yield %f : !acc
      }
      %slot3, %bt3 = warp.ring.wait %second : !rb
      %b3 = warp.shared_transpose %bt3 {order = array<i32: 1, 0>} : !bt -> !b
      %s3 = warp.wgmma %lhs, %b3, %result : tensor<64x32xf16, #wa>, !b, !acc
      %d3 = warp.wgmma_wait %s3 {pendings = 0 : i32} : !acc
      warp.ring.release %slot3
      scf.yield %d3 : !acc
    } else {
      scf.yield %zero : !acc
    }
    warp.ring.release %q
  }, {
    %slot, %a = warp.ring.acquire %query : !ra
    warp.tma_load %map[%c0, %c0], %a : !warp.tensor_map, !a
    warp.ring.commit %slot
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot1, %b1 = warp.ring.acquire %first : !rb
      warp.tma_load %map[%c0, %i], %b1 : !warp.tensor_map, !bt
      warp.ring.commit %slot1
      %slot2, %b2 = warp.ring.acquire %second : !rb
      warp.tma_load %map[%c0, %i], %b2 : !warp.tensor_map, !bt
      warp.ring.commit %slot2
    }
  }
  tile.return %zero : !acc
}

// A kernel that tests by itself whether it holds a slot after the loop.
tile.func @tested_after(%map: !warp.tensor_map, %k: i32) attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !rb
  warp.specialize warps [4, 1] {
    %none = warp.ring.no_slot
    %last = scf.for %i = %c0 to %k step %c32 iter_args(%held = %none) -> (!warp.slot) : i32 {
      %slot, %b = warp.ring.wait %ring : !rb
      %later = arith.cmpi sgt, %i, %c0 : i32
      warp.ring.release %held if %later
      scf.yield %slot : !warp.slot
    }
    %any = arith.cmpi sgt, %k, %c0 : i32
    warp.ring.release %last if %any
  }, {
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot, %b = warp.ring.acquire %ring : !rb
      warp.tma_load %map[%c0, %i], %b : !warp.tensor_map, !bt
      warp.ring.commit %slot
    }
  }
  tile.return
}

// A ring that two CTAs share.
tile.func @cluster(%map: !warp.tensor_map, %k: i32)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32, warp.cluster_size = 2 : i32} {
  %c0 = arith.constant 0 : i32
  %c32 = arith.constant 32 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !warp.ring<2 x {!bt}, transactions, cluster 2>
  warp.cluster_barrier rings_only
  warp.specialize warps [4, 1] {
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot, %b = warp.ring.wait %ring : !warp.ring<2 x {!bt}, transactions, cluster 2>
      %y = warp.local_load %b : !bt -> tensor<16x32xf16, #ra1>
      warp.proxy_fence
      warp.ring.release %slot : !warp.slot<cluster 2>
    }
  }, {
    scf.for %i = %c0 to %k step %c32 : i32 {
      %slot, %b = warp.ring.acquire %ring : !warp.ring<2 x {!bt}, transactions, cluster 2>
      warp.tma_load %map[%c0, %i], %b multicast : !warp.tensor_map, !bt
      warp.ring.commit %slot : !warp.slot<cluster 2>
    }
  }
  warp.cluster_barrier
  tile.return
}

// Tiles whose indices the consumers take from a counter and forward. The copies of
// a tile have arrived before the operation releases them.
#two = #warp.linear<{offset = [[1]]}>
!number = !warp.ring<1 x {!warp.shared<2xi32, #two>}, transactions>
tile.func @counter(%map: !warp.tensor_map, %out: !warp.tensor_map, %counter: !tile.ptr<i32>, %tiles: i32, %zero: !acc)
    attributes {warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring {warp.shared_offset = 0 : i32} : !ab
  %staging = warp.alloc {warp.shared_offset = 32768 : i32} : !bytes
  %first = warp.ring {warp.shared_offset = 40960 : i32} : !number
  %next = warp.ring {warp.shared_offset = 41216 : i32} : !number
  warp.specialize warps [4, 1] {
    %t0 = tile.atomic_rmw add acq_rel gpu %counter, %c1 {warp.shared_offset = 41472 : i32} : !tile.ptr<i32>
    %s0, %n0 = warp.ring.acquire %first : !number
    warp.ring.put_scalar %t0, %n0 : i32, !warp.shared<2xi32, #two>
    warp.ring.commit %s0
    %last = scf.while (%t = %t0) : (i32) -> i32 {
      %go = arith.cmpi slt, %t, %tiles : i32
      scf.condition(%go) %t : i32
    } do {
    ^bb0(%t: i32):
      %slot, %a, %bt = warp.ring.wait %ring : !ab
      %b = warp.shared_transpose %bt {order = array<i32: 1, 0>} : !bt -> !b
      %s = warp.wgmma %a, %b, %zero : !a, !b, !acc
      %z = warp.wgmma_wait %s {pendings = 0 : i32} : !acc
      warp.ring.release %slot
      warp.tma_store %z, %out[%t, %c0] through %staging : !acc, !warp.tensor_map, !bytes
      warp.tma_store_wait %staging arrived : !bytes
      warp.barrier {test.harmless = {erase = "the operation begins with one", move_down = "the same", move_up = "it orders the memory of the operations, not the copies"}}
      %t1 = tile.atomic_rmw add acq_rel gpu %counter, %c1 {test.harmless = {move_memory = "the operation before is done"}, warp.shared_offset = 41472 : i32} : !tile.ptr<i32>
      %s1, %n1 = warp.ring.acquire %next : !number
      warp.ring.put_scalar %t1, %n1 : i32, !warp.shared<2xi32, #two>
      warp.ring.commit %s1
      scf.yield %t1 : i32
    }
  }, {
    %s0, %n0 = warp.ring.wait %first : !number
    %t0 = warp.ring.get_scalar %n0 : !warp.shared<2xi32, #two>
    warp.ring.release %s0
    %last = scf.while (%t = %t0) : (i32) -> i32 {
      %go = arith.cmpi slt, %t, %tiles : i32
      scf.condition(%go) %t : i32
    } do {
    ^bb0(%t: i32):
      %slot, %a, %b = warp.ring.acquire %ring : !ab
      warp.tma_load %map[%t, %c0], %a : !warp.tensor_map, !a
      warp.tma_load %map[%c0, %t], %b : !warp.tensor_map, !bt
      warp.ring.commit %slot
      %s1, %n1 = warp.ring.wait %next : !number
      %t1 = warp.ring.get_scalar %n1 : !warp.shared<2xi32, #two>
      warp.ring.release %s1
      scf.yield %t1 : i32
    }
  }
  tile.return
}
