// RUN: tilewright-opt %s --warp-to-llvm-pipeline | tilewright-test-ptx | FileCheck %s
// RUN: tilewright-opt %s --warp-to-llvm-pipeline | tilewright-test-ptx --llvm | FileCheck %s --check-prefix=LLVM

// Only called functions are linked, and only the kernel's own operations may be
// contracted.
// LLVM: define ptx_kernel void @sine
// LLVM: fmul contract float
// LLVM: define internal {{.*}}float @_Z3sinf
// LLVM-NOT: contract
// LLVM-NOT: @_Z3cos

// CHECK: .func ({{.*}}) _Z3sinf
// CHECK: .entry sine
// CHECK: call.uni
tile.func @sine(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %0 = arith.mulf %x, %x : f32
  %1 = math.sin %0 : f32
  tile.store %p, %1 : !tile.ptr<f32>
  tile.return
}
