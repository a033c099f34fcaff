// RUN: tilewright-opt %s -tile-gpu-check-explicit='compute-capability=90 arch-specific=true' | FileCheck %s
// RUN: tilewright-opt %s -tile-to-warp-pipeline='compute-capability=90 arch-specific=true' | FileCheck %s --check-prefix=WARP

!a = !warp.shared<64x64xf16>
!b = !warp.shared<128x64xf16>
!bt = !warp.shared<64x128xf16, #warp.linear<{offset = [[1, 0], [2, 0], [4, 0], [8, 0], [16, 0], [32, 0], [8, 1], [16, 2], [32, 4], [0, 8], [0, 16], [0, 32], [0, 64]]}>>
!ring = !warp.ring<2 x {!a, !b}, transactions>

// CHECK-LABEL: tile.func @dot
// CHECK-SAME: warp.explicit

// The tiles of the one role that has some are distributed over its warps. The block has more warps.
// WARP: #[[ACC:.*]] = #warp.linear<{register = {{\[\[}}0, 1], [8, 0], [0, 8], [0, 16], [0, 32], [0, 64]], lane = {{\[\[}}0, 2], [0, 4], [1, 0], [2, 0], [4, 0]], warp = {{\[\[}}16, 0], [32, 0]], block = []}>
// WARP-LABEL: tile.func @dot
// WARP-SAME: warp.block_warps = 5 : i32
// WARP-SAME: warp.num_warps = 4 : i32
tile.func @dot(%a: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %b: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %c: !tile.ptr<f32>,
                   %k: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %step = arith.constant 64 : i32
  %size = arith.extsi %k : i32 to i64
  %da = tile.make_descriptor %a, [%size, %size], [%size] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %db = tile.make_descriptor %b, [%size, %size], [%size] : !tile.desc<128x64xf16>, !tile.ptr<f16>
  %ring = warp.ring : !ring
  // Values that depend only on scalars move into the role that uses them.
  // CHECK-NOT: tile.range
  // CHECK: warp.specialize
  // CHECK-NEXT: tile.range
  // CHECK-NEXT: tile.splat
  %column = tile.range {start = 0 : i32, end = 128 : i32} : tensor<128xi32>
  %base = tile.splat %c : !tile.ptr<f32> -> tensor<128x!tile.ptr<f32>>
  warp.specialize warps [4, 1] {
    %none = arith.constant dense<0.0> : tensor<64x128xf32>
    %sum = scf.for %i = %zero to %k step %step iter_args(%acc = %none) -> tensor<64x128xf32> : i32 {
      %slot, %x, %y = warp.ring.wait %ring : !ring
      %t = warp.shared_transpose %y {order = array<i32: 1, 0>} : !b -> !bt
      // WARP: warp.wgmma {{.*}}, tensor<64x128xf32, #[[ACC]]>
      %s = warp.wgmma %x, %t, %acc : !a, !bt, tensor<64x128xf32>
      // Late: overlaps with the next wgmma.
      // WARP: warp.wgmma_wait {{.*}} {pendings = 1 : i32} : tensor<64x128xf32, #[[ACC]]>
      %d = warp.wgmma_wait %s {pendings = 0 : i32} : tensor<64x128xf32>
      warp.ring.release %slot
      scf.yield %d : tensor<64x128xf32>
    }
    %row = "tile.reduce"(%sum) <{axis = 0 : i32}> ({
    ^bb0(%l: f32, %r: f32):
      %m = arith.addf %l, %r : f32
      tile.yield %m : f32
    }) : (tensor<64x128xf32>) -> tensor<128xf32>
    %p = tile.addptr %base, %column : tensor<128x!tile.ptr<f32>>, tensor<128xi32>
    tile.store %p, %row : tensor<128x!tile.ptr<f32>>
  }, {
    scf.for %i = %zero to %k step %step : i32 {
      %slot, %x, %y = warp.ring.acquire %ring : !ring
      // WARP: warp.tma_load {{.*}} : !warp.tensor_map
      warp.tma_load %da[%zero, %i], %x : !tile.desc<64x64xf16>, !a
      warp.tma_load %db[%zero, %i], %y : !tile.desc<128x64xf16>, !b
      warp.ring.commit %slot
    }
  }
  tile.return
}

// Assertions on such tiles move there, too.
// CHECK-LABEL: tile.func @checked
// CHECK-NEXT: warp.specialize
// CHECK-NEXT: }, {
// CHECK-NEXT: tile.splat
// CHECK-NEXT: tile.assert
// CHECK-NEXT: tile.print
tile.func @checked(%c: i1) attributes {tile.kernel} {
  %x = tile.splat %c : i1 -> tensor<32xi1>
  tile.assert %x, "all" : tensor<32xi1>
  warp.specialize warps [4, 4] {
  }, {
    tile.print "x", %x {isSigned = array<i1: true>} : tensor<32xi1>
  }
  tile.return
}

// CHECK-LABEL: tile.func @nothing
// CHECK-NOT: warp.explicit
tile.func @nothing() attributes {tile.kernel} {
  tile.return
}

// CTAs of a cluster wait until all have rings, and until none of them is used.
// CHECK-LABEL: tile.func @cluster
// CHECK-SAME: warp.cluster_size = 2 : i32
// CHECK: warp.cluster_barrier rings_only
// CHECK-NEXT: warp.specialize
// CHECK: warp.cluster_barrier{{$}}
// CHECK-NEXT: tile.return
tile.func @cluster(%p: !tile.ptr<f16> {tile.divisibility = 16 : i32}, %n: i32 {tile.divisibility = 16 : i32}) attributes {tile.kernel} {
  %zero = arith.constant 0 : i32
  %size = arith.extsi %n : i32 to i64
  %d = tile.make_descriptor %p, [%size, %size], [%size] : !tile.desc<64x64xf16>, !tile.ptr<f16>
  %ring = warp.ring : !warp.ring<2 x {!a}, transactions, cluster 2>
  warp.specialize warps [1, 1] {
    %slot, %x = warp.ring.wait %ring : !warp.ring<2 x {!a}, transactions, cluster 2>
    warp.ring.release %slot : !warp.slot<cluster 2>
  }, {
    %slot, %x = warp.ring.acquire %ring : !warp.ring<2 x {!a}, transactions, cluster 2>
    warp.tma_load %d[%zero, %zero], %x multicast : !tile.desc<64x64xf16>, !a
    warp.ring.commit %slot : !warp.slot<cluster 2>
  }
  tile.return
}
