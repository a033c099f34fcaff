// RUN: tilewright-opt %s -warp-allocate-shared='limit=51200' | FileCheck %s
// RUN: tilewright-opt %s -warp-allocate-shared='limit=40000' | FileCheck %s --check-prefix=SHORT

#s = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32], [8, 0], [16, 0], [32, 0]]}>
!tile = !warp.shared<64x64xf16, #s>
!ring = !warp.ring<3 x {!tile}, transactions>
!other = !warp.ring<2 x {!tile}, transactions>

// Two CTAs with three slots fit on an SM. A single CTA has three extra slots, after the fixed memory. If only one CTA
// fits anyway, the ring has a fourth slot.

// CHECK-LABEL: @alone
// CHECK-SAME: warp.extra_size = 25600 : i32
// CHECK-SAME: warp.shared_size = 24624 : i32
// CHECK: warp.ring {warp.extra_slots = array<i64: 3, 25600, 50224>, warp.shared_offset = 0 : i32} : !warp.ring<3 x
// SHORT-LABEL: @alone
// SHORT-NOT: warp.extra
// SHORT-SAME: warp.shared_size = 32832 : i32
// SHORT: warp.ring {warp.shared_offset = 0 : i32} : !warp.ring<4 x
tile.func @alone(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.tensor_maps = []} {
  %ring = warp.ring : !ring
  warp.specialize warps [4, 1] {
    %full, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %empty, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !tile
    warp.ring.commit %empty
  }
  tile.return
}

// In a single wave the ring takes all memory.

// CHECK-LABEL: @single_wave
// CHECK-NOT: warp.extra
// CHECK-SAME: warp.shared_size = 49248 : i32
// CHECK: warp.ring {warp.shared_offset = 0 : i32} : !warp.ring<6 x
// SHORT-LABEL: @single_wave
// SHORT: !warp.ring<4 x
tile.func @single_wave() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.single_wave, warp.tensor_maps = []} {
  %ring = warp.ring : !ring
  tile.return
}

// Rings of the source do not change, nor do rings of two slots, which do not prefetch.

// CHECK-LABEL: @explicit
// CHECK-NOT: warp.extra
// CHECK: !warp.ring<3 x
// SHORT-LABEL: @explicit
// SHORT: !warp.ring<3 x
tile.func @explicit() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.explicit, warp.tensor_maps = []} {
  %ring = warp.ring : !ring
  tile.return
}

// CHECK-LABEL: @two
// CHECK-NOT: warp.extra
// CHECK: !warp.ring<2 x
// SHORT-LABEL: @two
// SHORT: !warp.ring<2 x
tile.func @two() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.tensor_maps = []} {
  %ring = warp.ring : !other
  tile.return
}

// One of several rings, and rings of clusters, do not change either.

// CHECK-LABEL: @several
// CHECK-NOT: warp.extra
tile.func @several() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.tensor_maps = []} {
  %ring = warp.ring : !warp.ring<3 x {!warp.shared<8x64xf16, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}>>}, transactions>
  %more = warp.ring : !warp.ring<3 x {!warp.shared<8x64xf16, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}>>}, transactions>
  tile.return
}

// CHECK-LABEL: @cluster
// CHECK-NOT: warp.extra
tile.func @cluster() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.cluster_size = 2 : i32, warp.tensor_maps = []} {
  %ring = warp.ring : !warp.ring<3 x {!warp.shared<8x64xf16, #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [0, 32], [1, 8], [2, 16], [4, 32]]}>>}, transactions, cluster 2>
  tile.return
}
