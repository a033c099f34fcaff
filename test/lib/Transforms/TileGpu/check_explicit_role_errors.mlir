// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -tile-gpu-check-explicit='compute-capability=90 arch-specific=true'

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @in_loop(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  scf.if %c {
    // expected-error@+1 {{roles must be at the top level of a kernel, not inside loops, branches or other roles}}
    warp.specialize warps [1] {
    }
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @twice(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  // expected-note@+1 {{the first roles are here}}
  warp.specialize warps [1] {
  }
  // expected-error@+1 {{a kernel has at most one set of roles}}
  warp.specialize warps [1] {
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @warps(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  // expected-error@+1 {{the roles have at most 32 warps together, got 36}}
  warp.specialize warps [32, 4] {
  }, {
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @registers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  // expected-error@+1 {{the roles ask for 92160 registers, 12 warps start with 64512; give fewer to some of them}}
  warp.specialize warps [8, 4] registers [240, 240] {
  }, {
  }
  tile.return
}

// -----

// Threads start with the same number of registers, a multiple of eight. No role gets the remaining ones, so a role
// that waited for them would wait forever.
tile.func @left_over(%p: !tile.ptr<f32>) attributes {tile.kernel} {
  // expected-error@+1 {{the roles ask for 65536 registers, 12 warps start with 64512; give fewer to some of them}}
  warp.specialize warps [4, 4, 4] registers [240, 232, 40] {
  }, {
  }, {
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @power(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  // expected-error@+1 {{a role that computes on blocks must have a power of two of warps, got 3}}
  warp.specialize warps [3] {
    %x = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    tile.print "x", %x {isSigned = array<i1: true>} : tensor<32xi32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @equal(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  // expected-error@+1 {{roles that compute on blocks must have the same number of warps, got 4 and 8}}
  warp.specialize warps [4, 8] {
    %x = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    tile.print "x", %x {isSigned = array<i1: true>} : tensor<32xi32>
  }, {
    %x = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
    tile.print "x", %x {isSigned = array<i1: true>} : tensor<32xi32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @outside(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %x = tile.range {start = 0 : i32, end = 32 : i32} : tensor<32xi32>
  // expected-error@+1 {{blocks must be computed inside roles, whose warps hold them; move this into a role}}
  tile.print "x", %x {isSigned = array<i1: true>} : tensor<32xi32>
  warp.specialize warps [4] {
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @groups(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  warp.specialize warps [2] {
    %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
    %a = warp.alloc : !warp.shared<64x8xf32>
    %b = warp.alloc : !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>
    // expected-error@+1 {{wgmma is issued by whole warpgroups of 4 warps, this role has 2, from warp 0 on}}
    %s = warp.wgmma %a, %b, %zeros : !warp.shared<64x8xf32>, !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>, tensor<64x8xf32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @aligned(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  warp.specialize warps [1, 4] {
  }, {
    %zeros = arith.constant dense<0.0> : tensor<64x8xf32>
    %a = warp.alloc : !warp.shared<64x8xf32>
    %b = warp.alloc : !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>
    // expected-error@+1 {{wgmma is issued by whole warpgroups of 4 warps, this role has 4, from warp 1 on}}
    %s = warp.wgmma %a, %b, %zeros : !warp.shared<64x8xf32>, !warp.shared<8x8xf32, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [0, 1], [0, 2], [4, 4]]}>>, tensor<64x8xf32>
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @shared(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  // expected-note@+1 {{it is allocated here}}
  %m = warp.alloc : !tile8
  warp.specialize warps [4, 4] {
    %v = warp.local_load %m : !tile8 -> tensor<8x32xf32>
  }, {
    // expected-error@+1 {{another role, which runs at the same time, uses this block of shared memory; pass blocks between roles through a ring}}
    %v = warp.local_load %m : !tile8 -> tensor<8x32xf32>
  }
  tile.return
}

// -----

tile.func @barriers() attributes {tile.kernel} {
  warp.specialize warps [4, 4] {
    warp.named_barrier_wait 3 warps 8
  }, {
    // expected-error@+1 {{all uses of a barrier must name the same number of warps, got 8 and 4}}
    warp.named_barrier_arrive 3 warps 4
  }
  tile.return
}

// -----

tile.func @number() attributes {tile.kernel} {
  warp.specialize warps [4, 4] {
    // expected-error@+1 {{these roles have at most 11 barriers between them, this is number 12}}
    warp.named_barrier_wait 11 warps 8
  }, {
  }
  tile.return
}
