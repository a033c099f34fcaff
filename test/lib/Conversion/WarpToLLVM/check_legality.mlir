// RUN: tilewright-opt %s --nvidia-check-legality | FileCheck %s

llvm.func @vprintf(!llvm.ptr, !llvm.ptr) -> i32
llvm.func @_Z3sinf(f32) -> f32

// CHECK-LABEL: llvm.func @legal
llvm.func @legal(%x: f32, %i: i32, %p: !llvm.ptr) -> f32 {
  // CHECK: llvm.intr.sqrt
  %0 = llvm.intr.sqrt(%x) : (f32) -> f32
  %1 = llvm.call @_Z3sinf(%0) : (f32) -> f32
  %2 = llvm.call @vprintf(%p, %p) : (!llvm.ptr, !llvm.ptr) -> i32
  %3 = nvvm.read.ptx.sreg.tid.x : i32
  llvm.return %1 : f32
}
