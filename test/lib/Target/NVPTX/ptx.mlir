// RUN: tilewright-opt %s --warp-to-llvm-pipeline --mlir-print-debuginfo -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_80 | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a --ptx-version=99 | FileCheck %s --check-prefixes=CHECK,SM90
// RUN: tilewright-test-ptx %t.mlir --arch=sm_120 | FileCheck %s --check-prefixes=CHECK,SM120
// RUN: tilewright-test-ptx %t.mlir --llvm | FileCheck %s --check-prefix=LLVM

// A GPU newer than PTX 8.0 selects its own version. A version newer than LLVM's
// becomes LLVM's newest.
// SM80: .version 8.0
// SM80: .target sm_80
// SM90: .version 9.0
// SM90: .target sm_90a
// SM120: .version 8.7
// SM120: .target sm_120

// LLVM: target triple = "nvptx64-nvidia-cuda"
// LLVM: define ptx_kernel void @add(ptr addrspace(1) align 16 %0

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = [[128]]}>

// CHECK: .visible .entry add(
// CHECK: .param .u64 .ptr .global .align 16 add_param_0
// CHECK: .reqntid 64, 1, 1
tile.func @add(%x: !tile.ptr<f32> {tile.divisibility = 16 : i32}, %y: !tile.ptr<f32> {tile.divisibility = 16 : i32})
    attributes {tile.kernel, warp.num_warps = 2 : i32} {
  // The range of the thread id is known: no mask.
  // CHECK: mov.u32 %[[TID:.*]], %tid.x;
  // CHECK-NOT: and.b32
  %r = tile.range {start = 0 : i32, end = 256 : i32} : tensor<256xi32, #l>
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %xp = tile.addptr %xs, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  // Lines of this file.
  // CHECK: .loc 1 [[#@LINE+2]]
  // CHECK: ld.global.v4.b32
  %v = tile.load %xp : tensor<256x!tile.ptr<f32>, #l>
  // CHECK: .loc 1 [[#@LINE+2]]
  // CHECK-COUNT-4: add.{{(rn.)?}}f32
  %s = arith.addf %v, %v : tensor<256xf32, #l>
  %ys = tile.splat %y : !tile.ptr<f32> -> tensor<256x!tile.ptr<f32>, #l>
  %yp = tile.addptr %ys, %r : tensor<256x!tile.ptr<f32>, #l>, tensor<256xi32, #l>
  // CHECK: st.global.v4.b32
  tile.store %yp, %s : tensor<256x!tile.ptr<f32>, #l>
  // CHECK: ret;
  tile.return
}
// CHECK: .file 1 "{{.*}}ptx.mlir"
