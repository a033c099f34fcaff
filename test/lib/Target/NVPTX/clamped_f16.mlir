// RUN: tilewright-opt %s --warp-to-llvm-pipeline -o %t.mlir
// RUN: tilewright-test-ptx %t.mlir --arch=sm_90a | FileCheck %s

// ptxas 13.0 drops the zero extension of a clamped f16.

// CHECK-LABEL: .entry clamped(
// CHECK: max.f16
// CHECK: min.f16
// CHECK-NOT: cvt.u32.u16
// CHECK: mov.b32 %{{.*}}, {%{{.*}}, %{{.*}}};
// CHECK-NOT: cvt.u32.u16
// CHECK: ret;
tile.func @clamped(%p: !tile.ptr<f16>, %q: !tile.ptr<i32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %low = arith.constant -3.0 : f16
  %high = arith.constant 3.0 : f16
  %x = tile.load %p : !tile.ptr<f16>
  %a = arith.maxnumf %x, %low : f16
  %b = arith.minnumf %a, %high : f16
  %bits = arith.bitcast %b : f16 to i16
  %w = arith.extui %bits : i16 to i32
  tile.store %q, %w : !tile.ptr<i32>
  tile.return
}
