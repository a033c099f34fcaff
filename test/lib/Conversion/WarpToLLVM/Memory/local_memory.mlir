// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[0, 1], [0, 2]], lane = [[0, 4], [0, 8], [0, 16], [1, 0], [2, 0]], warp = [[4, 0], [0, 0]]}>
#t = #warp.linear<{register = [[1, 0], [2, 0]], lane = [[4, 0], [0, 1], [0, 2], [0, 4], [0, 8]], warp = [[0, 16], [0, 0]]}>
#s = #warp.linear<{offset = [[0, 1], [0, 2], [0, 4], [0, 8], [0, 16], [1, 0], [2, 0], [4, 0]]}>

// Rows are stored as vectors, by the first two of four warps; columns are read
// element by element.
// CHECK-LABEL: llvm.func @transpose
tile.func @transpose(%x: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 4 : i32} {
  %p = tile.splat %x : !tile.ptr<f16> -> tensor<8x32x!tile.ptr<f16>, #l>
  %q = tile.splat %x : !tile.ptr<f16> -> tensor<8x32x!tile.ptr<f16>, #t>
  %v = tile.load %p : tensor<8x32x!tile.ptr<f16>, #l>
  // CHECK: llvm.mlir.addressof @__tilewright_shared
  // CHECK: llvm.getelementptr %{{.*}}[256]
  // CHECK: "@$0 st.shared.v2.b32 [$1], {$2, $3};"
  // CHECK-NOT: st.shared
  %m = warp.alloc %v {warp.shared_offset = 256 : i32} : (tensor<8x32xf16, #l>) -> !warp.shared<8x32xf16, #s>
  // CHECK: nvvm.barrier0
  warp.barrier
  // CHECK-COUNT-4: llvm.load %{{.*}} : !llvm.ptr<3>
  %w = warp.local_load %m : !warp.shared<8x32xf16, #s> -> tensor<8x32xf16, #t>
  tile.store %q, %w : tensor<8x32x!tile.ptr<f16>, #t>
  warp.barrier
  // CHECK: "@$0 st.shared.v2.b32 [$1], {$2, $3};"
  warp.local_store %v, %m : tensor<8x32xf16, #l> -> !warp.shared<8x32xf16, #s>
  tile.return
}
