// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   | FileCheck %s
// RUN: tilewright-opt %s -warp-allocate-shared -warp-to-llvm-pipeline='compute-capability=90 arch-specific=true' \
// RUN:   | tilewright-test-ptx --arch=sm_90a | FileCheck %s --check-prefix=PTX

// PTX: .version 8.6
// PTX: .visible .entry maps(
// PTX: mov.u32 %r{{[0-9]+}}, %smid;
// PTX: tensormap.replace.tile.global_address.shared::cta.b1024.b64 [%r{{[0-9]+}}], %rd{{[0-9]+}};
// PTX: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// PTX: fence.proxy.tensormap::generic.acquire.gpu
// PTX: red.release.gpu.global.and.b32
// PTX: .visible .entry drain(
// PTX: mbarrier.try_wait.parity.shared::cta.b64

#bytes = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256]]}>
#eight = #warp.linear<{offset = [[1], [2], [4], [8], [16], [32], [64], [128], [256], [512]]}>
#tile = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0]]}>
!ring = !warp.ring<2 x {!warp.shared<4x8xf32, #tile>}, transactions>

// The memory and the words that mark the pieces in use belong to the module.
// CHECK-DAG: llvm.mlir.global internal @__tilewright_maps_256() {addr_space = 1 : i32, alignment = 128 : i64} : !llvm.array<1572864 x i8>
// CHECK-DAG: llvm.mlir.global internal @__tilewright_taken_256() {{.*}} : !llvm.array<768 x i8>
// CHECK-DAG: llvm.mlir.global internal @__tilewright_nans("\FF\FF{{.*}}\FF")

// CHECK-LABEL: llvm.func @maps
// The first lane of a warpgroup takes a free piece.
// CHECK: mov.u32 $0, %smid;
// CHECK: atom.acquire.gpu.global.or.b32
// Its warp fills a zero map in shared memory, with a dummy array if the array
// is empty.
// CHECK: "@$0 trap;"
// CHECK: cp.async.bulk.wait_group 0;
// CHECK: nvvm.bar.warp.sync
// CHECK: tensormap.replace.tile.global_address.shared::cta.b1024.b64
// CHECK: tensormap.replace.tile.rank.shared::cta.b1024.b32 [$1], 1;
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$1], 0, 8;
// CHECK: tensormap.replace.tile.global_dim.shared::cta.b1024.b32 [$2], 0, $1;
// CHECK: tensormap.replace.tile.box_dim.shared::cta.b1024.b32 [$1], 1, 4;
// CHECK: tensormap.replace.tile.global_stride.shared::cta.b1024.b64 [$2], 0, $1;
// CHECK: tensormap.replace.tile.elemtype.shared::cta.b1024.b32 [$1], 7;
// CHECK: tensormap.replace.tile.swizzle_mode.shared::cta.b1024.b32 [$1], 1;
// CHECK: tensormap.replace.tile.fill_mode.shared::cta.b1024.b32 [$1], 1;
// It is copied to global memory and fenced for TMA.
// CHECK: nvvm.bar.warp.sync
// CHECK: tensormap.cp_fenceproxy.global.shared::cta.tensormap::generic.release.gpu.sync.aligned
// CHECK: fence.proxy.tensormap::generic.acquire.gpu
// CHECK: red.release.gpu.global.and.b32
tile.func @maps(%p: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %s = warp.alloc : !warp.shared<512xi8, #bytes>
  %m = warp.acquire_map_memory : !warp.map_memory<2>
  %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 1 through %s
      {box = array<i64: 4, 8>, element = f32, padding = 1 : i32, swizzle = 32 : i32}
      : !tile.ptr<f32>, !warp.map_memory<2>, !warp.shared<512xi8, #bytes>
  warp.release_map_memory %m : !warp.map_memory<2>
  tile.return
}

// Two roles write their maps concurrently: each warp of the CTA has its own
// offset in shared memory.
// CHECK-LABEL: llvm.func @roles
// CHECK-COUNT-2: mov.u32 $0, %smid;
// CHECK: cp.async.bulk.wait_group 0;
// CHECK-NEXT: %[[THREAD:.*]] = nvvm.read.ptx.sreg.tid.x
// CHECK-NEXT: %[[SIZE:.*]] = llvm.mlir.constant(32 : i32)
// CHECK-NEXT: llvm.udiv %[[THREAD]], %[[SIZE]]
tile.func @roles(%p: !tile.ptr<f32>, %n: i64) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %s = warp.alloc : !warp.shared<1024xi8, #eight>
  warp.specialize warps [4, 1] {
    %m = warp.acquire_map_memory : !warp.map_memory<1>
    warp.release_map_memory %m : !warp.map_memory<1>
  }, {
    %m = warp.acquire_map_memory : !warp.map_memory<1>
    %map = warp.make_tensor_map %p, [%n, %n], [%n] in %m at 0 through %s
        {box = array<i64: 4, 8>, element = f32, padding = 0 : i32, swizzle = 32 : i32}
        : !tile.ptr<f32>, !warp.map_memory<1>, !warp.shared<1024xi8, #eight>
    warp.release_map_memory %m : !warp.map_memory<1>
  }
  tile.return
}

// Each of two slots is waited for by the parity of its last round.
// CHECK-LABEL: llvm.func @drain
// CHECK: mbarrier.init
// CHECK: %[[INDEX:.*]] = llvm.load
// CHECK: %[[PARITY:.*]] = llvm.load
// CHECK: %[[BEFORE:.*]] = llvm.xor %[[PARITY]]
// CHECK: %[[FIRST:.*]] = llvm.icmp "ult" %{{.*}}, %[[INDEX]]
// CHECK: llvm.select %[[FIRST]], %[[PARITY]], %[[BEFORE]]
// CHECK: mbarrier.try_wait.parity
// CHECK: mbarrier.try_wait.parity
// CHECK-NOT: try_wait
tile.func @drain() attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %ring = warp.ring : !ring
  warp.ring.drain %ring : !ring
  tile.return
}
