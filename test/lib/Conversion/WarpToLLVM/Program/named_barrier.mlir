// RUN: tilewright-opt %s -warp-allocate-shared -convert-warp-to-llvm='compute-capability=90 arch-specific=true' \
// RUN:   -canonicalize -cse | FileCheck %s

// Barriers between roles count down from the last hardware barrier.
// CHECK-LABEL: llvm.func @turns
// CHECK-DAG: %[[THREADS:.*]] = llvm.mlir.constant(256 : i32)
// CHECK-DAG: %[[LAST:.*]] = llvm.mlir.constant(15 : i32)
// CHECK: nvvm.barrier id = %[[LAST]] number_of_threads = %[[THREADS]]
// CHECK: llvm.inline_asm has_side_effects "bar.arrive 14, 256;"
tile.func @turns() attributes {tile.kernel, warp.num_warps = 4 : i32, warp.block_warps = 8 : i32} {
  warp.specialize warps [4, 4] {
    warp.named_barrier_wait 0 warps 8
  }, {
    warp.named_barrier_arrive 1 warps 8
  }
  tile.return
}
