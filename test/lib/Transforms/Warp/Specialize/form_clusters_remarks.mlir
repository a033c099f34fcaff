// RUN: tilewright-opt %s -split-input-file -warp-form-clusters | FileCheck %s
// RUN: tilewright-opt %s -split-input-file -warp-form-clusters -o /dev/null \
// RUN:   -remark-format=emitRemark -remarks-filter=.* -verify-diagnostics

// The source forms clusters.
// CHECK-LABEL: @explicit
// CHECK-SAME: warp.cluster_size = 4 : i32
// CHECK-NEXT: tile.return
// expected-remark@+1 {{no clusters: the kernel forms its own clusters}}
tile.func @explicit() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.cluster_size = 4 : i32} {
  tile.return
}

// -----

// No copies to share.
// CHECK-LABEL: @no_roles
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: no producer loads through the tensor memory accelerator}}
tile.func @no_roles() attributes {tile.kernel, warp.num_warps = 4 : i32} {
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// All threads run cluster barriers exactly once.
// CHECK-LABEL: @twice
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: it has more than one warp.specialize}}
tile.func @twice(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %a[%c0, %n], %tile : !desc, !tile
    warp.ring.commit %slot
  }
  warp.specialize warps [4, 1] {
  }, {
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// Each program loads blocks of its own.
// CHECK-LABEL: @own_blocks
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: neighbouring programs load different blocks of all arrays}}
tile.func @own_blocks(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %id = tile.program_id x
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %a[%c0, %id], %tile : !desc, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// A CTA may run more iterations than its neighbour.
// CHECK-LABEL: @uneven_tiles
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: the end and the step of the loop over tiles depend on the program}}
tile.func @uneven_tiles(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    scf.for %x = %id to %id step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    %id = tile.program_id x
    scf.for %x = %id to %id step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// An iteration that repeats another CTA's program would count.
// CHECK-LABEL: @results
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: results of the loop over tiles are used after it}}
tile.func @results(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %r = scf.for %x = %id to %n step %c1 iter_args(%s = %c0) -> (i32) : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      scf.yield %s : i32
    }
    tile.store %p, %r : !tile.ptr<i32>
  }, {
    %id = tile.program_id x
    scf.for %x = %id to %n step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// A CTA can take over the loop counter of a neighbour, but no other use of the id.
// CHECK-LABEL: @other_use
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: the program id has other uses than the start of the loop over tiles}}
tile.func @other_use(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    scf.for %x = %id to %n step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
      tile.store %p, %id : !tile.ptr<i32>
    }
  }, {
    %id = tile.program_id x
    scf.for %x = %id to %n step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// Programs may wait for each other.
// CHECK-LABEL: @atomic
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: its programs may wait for each other through atomic operations}}
tile.func @atomic(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
    %o = tile.atomic_rmw add relaxed gpu %p, %n : !tile.ptr<i32>
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %a[%c0, %n], %tile : !desc, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// Effects with results cannot be guarded.
// CHECK-LABEL: @results_of_effects
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: it has side effects with results}}
tile.func @results_of_effects(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
    %v = tile.load %p volatile : !tile.ptr<i32>
  }, {
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %a[%c0, %n], %tile : !desc, !tile
    warp.ring.commit %slot
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// Neighbours would wait for slots that are never filled.
// CHECK-LABEL: @uneven_loops
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: neighbouring programs may load a different number of blocks}}
tile.func @uneven_loops(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    scf.for %x = %c0 to %id step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    %id = tile.program_id x
    scf.for %x = %c0 to %id step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// The same, in a branch.
// CHECK-LABEL: @uneven_branches
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: neighbouring programs may load a different number of blocks}}
tile.func @uneven_branches(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    %c = arith.cmpi slt, %id, %n : i32
    scf.if %c {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    %id = tile.program_id x
    %c = arith.cmpi slt, %id, %n : i32
    scf.if %c {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// Both roles must run the same iterations.
// CHECK-LABEL: @different_loops
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: producer and consumers iterate over tiles differently}}
tile.func @different_loops(%a: !desc, %n: i32, %p: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %c1 = arith.constant 1 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %id = tile.program_id x
    scf.for %x = %id to %n step %c1 : i32 {
      %slot, %tile = warp.ring.wait %ring : !ring
      warp.ring.release %slot
    }
  }, {
    scf.for %x = %c0 to %n step %c1 : i32 {
      %slot, %tile = warp.ring.acquire %ring : !ring
      warp.tma_load %a[%c0, %n], %tile : !desc, !tile
      warp.ring.commit %slot
    }
  }
  tile.return
}

// -----

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x8xf32, #shared>
!ring = !warp.ring<3 x {!tile}, transactions>
!desc = !tile.desc<64x8xf32>

// The map of a CTA is private.
// CHECK-LABEL: @made_by_device
// CHECK-NOT: cluster
// expected-remark@+1 {{no clusters: it loads through tensor maps that the device makes}}
tile.func @made_by_device(%table: !tile.ptr<i64>, %n: i64) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %c0 = arith.constant 0 : i32
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %slot, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %slot
  }, {
    %address = tile.load %table : !tile.ptr<i64>
    %base = tile.int_to_ptr %address : i64 -> !tile.ptr<f32>
    %a = tile.make_descriptor %base, [%n, %n], [%n] : !desc, !tile.ptr<f32>
    %slot, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %a[%c0, %c0], %tile : !desc, !tile
    warp.ring.commit %slot
  }
  tile.return
}
