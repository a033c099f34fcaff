// RUN: tilewright-opt %s -split-input-file -verify-diagnostics -tile-gpu-check-explicit='compute-capability=90 arch-specific=true'

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @ring_in_role(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  warp.specialize warps [1] {
    // expected-error@+1 {{a ring must be created at the top level of a kernel, before its roles}}
    %ring = warp.ring : !ring
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @no_role(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  // expected-error@+1 {{ring slots can be used only inside roles}}
  %full, %x = warp.ring.wait %ring : !ring
  warp.ring.release %full
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @two_producers(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1, 1] {
    // expected-note@+1 {{it is filled here}}
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }, {
    %full, %x = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    // expected-error@+1 {{another role produces into this ring; use one ring per producer role}}
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @no_producer(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  // expected-error@+1 {{no role acquires slots of this ring to fill them}}
  %ring = warp.ring : !ring
  warp.specialize warps [1] {
    %full, %x = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @no_consumer(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  // expected-error@+1 {{no role waits for slots of this ring to read them}}
  %ring = warp.ring : !ring
  warp.specialize warps [1] {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @condition(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    // expected-note@+1 {{the slot comes from here}}
    %full, %x = warp.ring.wait %ring : !ring
    scf.if %c {
      // expected-error@+1 {{a slot must be released where it is held, not under another condition or in another loop}}
      warp.ring.release %full
    }
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @branches(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %none = warp.ring.no_slot
    %full, %x = warp.ring.wait %ring : !ring
    %either = scf.if %c -> !warp.slot {
      // expected-error@+1 {{a slot must be released, not passed through branches or loops other than 'for'}}
      scf.yield %full : !warp.slot
    } else {
      scf.yield %none : !warp.slot
    }
    warp.ring.release %either
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @kept(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %none = warp.ring.no_slot
    // expected-error@+1 {{this slot is never released}}
    %held = scf.for %i = %zero to %n step %n iter_args(%before = %none) -> !warp.slot : i32 {
      %full, %x = warp.ring.wait %ring : !ring
      warp.ring.release %before if %c
      scf.yield %full : !warp.slot
    }
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @again(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %none = warp.ring.no_slot
    // expected-error@+1 {{this slot is released more than once}}
    %held = scf.for %i = %zero to %n step %n iter_args(%before = %none) -> !warp.slot : i32 {
      %full, %x = warp.ring.wait %ring : !ring
      warp.ring.release %before if %c
      warp.ring.release %before if %c
      scf.yield %full : !warp.slot
    }
    warp.ring.release %held
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @unloaded(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %full, %x = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    // expected-error@+1 {{each block of a slot must be loaded once before the slot is committed; block 0 is loaded 0 times}}
    warp.ring.commit %slot
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @loaded_late(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %full, %x = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    warp.ring.commit %slot
    // expected-error@+1 {{a slot must be loaded after it is acquired and before it is committed, under no other condition}}
    warp.tma_load %d[%zero, %zero], %x : !desc, !tile8
  }
  tile.return
}

// -----

!tile8 = !warp.shared<8x32xf32>
!ring = !warp.ring<2 x {!tile8}, transactions>
!desc = !tile.desc<8x32xf32>
tile.func @unaligned(%p: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}, %c: i1) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !desc, !tile.ptr<f32>
  %ring = warp.ring : !ring
  warp.specialize warps [1, 1] {
    %full, %x = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %slot, %x = warp.ring.acquire %ring : !ring
    %one = arith.constant 1 : i32
    // expected-error@+1 {{the tensor memory accelerator cannot copy this: its offset in a row is not known to be a multiple of 16 bytes}}
    warp.tma_load %d[%zero, %one], %x : !desc, !tile8
    warp.ring.commit %slot
  }
  tile.return
}

// -----

tile.func @sizes_of_blocks() attributes {tile.kernel} {
  %one = warp.alloc {cluster = 2 : i32} : !warp.shared<64x64xf16>
  // expected-error@+1 {{all rings and shared blocks of a kernel must have the same cluster size, got 2 and 8}}
  %other = warp.alloc {cluster = 8 : i32} : !warp.shared<64x64xf16>
  warp.specialize warps [1] {
  }
  tile.return
}

// -----

!one = !warp.ring<2 x {!warp.shared<64x64xf16>}, transactions, cluster 2>
!other = !warp.ring<2 x {!warp.shared<64x64xf16>}, transactions, cluster 4>
tile.func @sizes() attributes {tile.kernel} {
  %one = warp.ring : !one
  // expected-error@+1 {{all rings and shared blocks of a kernel must have the same cluster size, got 2 and 4}}
  %other = warp.ring : !other
  warp.specialize warps [1] {
  }
  tile.return
}
