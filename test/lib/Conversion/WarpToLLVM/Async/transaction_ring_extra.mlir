// RUN: tilewright-opt %s -convert-warp-to-llvm='compute-capability=90 arch-specific=true' -canonicalize -cse | FileCheck %s

#shared = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [1, 0], [2, 0], [4, 0]]}>
!ring = !warp.ring<3 x {!warp.shared<8x8xf32, #shared>}, transactions>

// Three slots with barriers from offset 768 on, and two more slots, from 2048 on, followed by their barriers, if the
// launch provides 2592 bytes.

// CHECK-LABEL: llvm.func @roles
// CHECK-DAG: %[[C3:.*]] = llvm.mlir.constant(3 : i32)
// CHECK-DAG: %[[C5:.*]] = llvm.mlir.constant(5 : i32)
// CHECK-DAG: %[[C0:.*]] = llvm.mlir.constant(0 : i32)
// CHECK-DAG: %[[C8:.*]] = llvm.mlir.constant(8 : i32)
// CHECK-DAG: %[[ALL:.*]] = llvm.mlir.constant(2592 : i32)
// Full barriers: 768, and 2048 + 2 * 256 - 3 * 8; empty ones: 24 and 16 bytes later.
// CHECK-DAG: %[[FULL:.*]] = llvm.mlir.constant(768 : i32)
// CHECK-DAG: %[[EXTRA_FULL:.*]] = llvm.mlir.constant(2536 : i32)
// CHECK-DAG: %[[EMPTY:.*]] = llvm.mlir.constant(792 : i32)
// CHECK-DAG: %[[EXTRA_EMPTY:.*]] = llvm.mlir.constant(2552 : i32)
// The distance from the regular offset of slot 3 to its actual one: 2048 - 768.
// CHECK-DAG: %[[APART:.*]] = llvm.mlir.constant(1280 : i32)
// CHECK: %[[BYTES:.*]] = nvvm.read.ptx.sreg.dynamic.smem.size
// CHECK: %[[MORE:.*]] = llvm.icmp "uge" %[[BYTES]], %[[ALL]]
// CHECK: %[[COUNT:.*]] = llvm.select %[[MORE]], %[[C5]], %[[C3]]
// CHECK-COUNT-10: mbarrier.init
// CHECK-NOT: mbarrier.init
// CHECK: %[[NEXT:.*]] = llvm.add %[[INDEX:.*]], %{{.*}}
// CHECK: llvm.icmp "eq" %[[NEXT]], %[[COUNT]]
// CHECK: %[[IS_FIRST:.*]] = llvm.icmp "ult" %[[INDEX]], %[[C3]]
// CHECK: llvm.select %[[IS_FIRST]], %[[FULL]], %[[EXTRA_FULL]]
// CHECK: llvm.select %[[IS_FIRST]], %[[EMPTY]], %[[EXTRA_EMPTY]]
// CHECK: llvm.select %{{.*}}, %[[C0]], %[[APART]]
tile.func @roles(%map: !warp.tensor_map, %i: i32) attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 5 : i32} {
  %ring = warp.ring {warp.shared_offset = 0 : i32, warp.extra_slots = array<i64: 2, 2048, 2592>} : !ring
  warp.specialize warps [4, 1] {
    %full, %tile = warp.ring.wait %ring : !ring
    warp.ring.release %full
  }, {
    %empty, %tile = warp.ring.acquire %ring : !ring
    warp.tma_load %map[%i, %i], %tile : !warp.tensor_map, !warp.shared<8x8xf32, #shared>
    warp.ring.commit %empty
  }
  tile.return
}
