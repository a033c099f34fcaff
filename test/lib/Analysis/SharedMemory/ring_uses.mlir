// RUN: tilewright-test-opt %s -pass-pipeline='builtin.module(tile.func(test-ring-uses))' -verify-diagnostics -o /dev/null

#rows = #warp.linear<{register = [[0, 1], [8, 0]], lane = [[0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
#plain = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0]]}>
!tile = !warp.shared<16x8xf16, #plain>
!ring = !warp.ring<2 x {!tile}, transactions>

// The slots are unused after the consumer's last use of the ring. The producer does not know when that is.
tile.func @consumer(%d: !warp.tensor_map, %k: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %first = warp.ring : !ring
  %second = warp.ring : !ring
  warp.specialize warps [1, 1] {
    // expected-remark@below {{unused rings: []}}
    %before = warp.alloc : !tile
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %t = warp.ring.wait %first : !ring
      %x = warp.local_load %t : !tile -> tensor<16x8xf16, #rows>
      warp.ring.release %slot
      // The next iteration uses the ring again.
      // expected-remark@below {{unused rings: []}}
      %inside = warp.alloc : !tile
    }
    // expected-remark@below {{unused rings: [0]}}
    %between = warp.alloc : !tile
    %slot, %t = warp.ring.wait %second : !ring
    warp.ring.release %slot
    // expected-remark@below {{unused rings: [0, 1]}}
    %after = warp.alloc : !tile
  }, {
    scf.for %i = %c0 to %k step %c1 : i32 {
      %slot, %t = warp.ring.acquire %first : !ring
      warp.tma_load %d[%c0, %c0], %t : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
    %slot, %t = warp.ring.acquire %second : !ring
    warp.tma_load %d[%c0, %c0], %t : !warp.tensor_map, !tile
    warp.ring.commit %slot
    // expected-remark@below {{unused rings: []}}
    %other = warp.alloc : !tile
  }
  tile.return
}

// A loop leads back to the roles, so the slots stay in use.
tile.func @repeated(%d: !warp.tensor_map, %k: i32) attributes {warp.num_warps = 1 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  scf.for %i = %c0 to %k step %c1 : i32 {
    warp.specialize warps [1, 1] {
      %slot, %t = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      // expected-remark@below {{unused rings: []}}
      %after = warp.alloc : !tile
    }, {
      %slot, %t = warp.ring.acquire %ring : !ring
      warp.tma_load %d[%c0, %c0], %t : !warp.tensor_map, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}
