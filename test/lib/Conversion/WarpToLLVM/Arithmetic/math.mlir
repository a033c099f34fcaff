// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

// CHECK: llvm.func @_Z3powdd(f64, f64) -> f64
// The library computes the sine of large numbers only.
// CHECK-LABEL: llvm.func internal @tilewright_sin(%arg0: f32) -> f32
// CHECK-SAME: always_inline
// CHECK: %[[SIZE:.*]] = llvm.intr.fabs(%arg0)
// CHECK: %[[SMALL:.*]] = llvm.fcmp "ole" %[[SIZE]]
// CHECK: llvm.cond_br %[[SMALL]], ^[[NEAR:.*]], ^[[FAR:.*]]
// CHECK: ^[[NEAR]]:
// CHECK-NOT: llvm.call
// CHECK: ^[[FAR]]:
// CHECK-NEXT: llvm.call @_Z3sinf(%arg0)
// CHECK-LABEL: llvm.func @functions
tile.func @functions(%x: f32, %y: f64, %h: f16, %p: !tile.ptr<f32>, %q: !tile.ptr<f64>, %r: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // Argument reduction with log2(e) in two parts.
  // CHECK: llvm.inline_asm "{ .reg .b32 u, k, n, f, s; fma.rn.sat.f32 {{.*}} ex2.approx.ftz.f32 f, f; {{.*}}", "=f,f" %arg0
  %0 = math.exp %x : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"
  %1 = math.exp2 %0 : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  %2 = math.rsqrt %1 : f32
  // CHECK: llvm.intr.sqrt
  %3 = math.sqrt %2 : f32
  // CHECK: llvm.call @tilewright_sin
  %4 = math.sin %3 : f32
  tile.store %p, %4 : !tile.ptr<f32>
  // CHECK: llvm.call @_Z3powdd
  %5 = math.powf %y, %y : f64
  // CHECK: %[[ROOT:.*]] = llvm.intr.sqrt
  // CHECK: llvm.fdiv %{{.*}}, %[[ROOT]] : f64
  %6 = math.rsqrt %5 : f64
  tile.store %q, %6 : !tile.ptr<f64>
  // f16 is computed in f32.
  // CHECK: %[[WIDE:.*]] = llvm.fpext %arg2 : f16 to f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.f32"(%[[WIDE]])
  // CHECK: llvm.fptrunc %{{.*}} : f32 to f16
  %7 = math.exp2 %h : f16
  tile.store %r, %7 : !tile.ptr<f16>
  tile.return
}

// -----

// With `afn` exp is two instructions; functions that the GPU approximates are
// one each.
// CHECK-LABEL: llvm.func @fast
tile.func @fast(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[Y:.*]] = llvm.fmul %arg0
  // CHECK: llvm.call_intrinsic "llvm.nvvm.ex2.approx.ftz.f32"(%[[Y]])
  %0 = math.exp %x fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.sin.approx.f"
  %1 = math.sin %0 fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.cos.approx.f"
  %2 = math.cos %1 fastmath<afn> : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  %3 = math.log2 %2 fastmath<afn> : f32
  // CHECK: llvm.inline_asm "tanh.approx.f32 $0, $1;"
  %4 = math.tanh %3 fastmath<afn> : f32
  tile.store %p, %4 : !tile.ptr<f32>
  tile.return
}

// -----

// Powers are expanded inline; those with small integer exponents, also of f16,
// are multiplications.
// CHECK-NOT: llvm.func @_Z3pow
// CHECK-LABEL: llvm.func @powers
tile.func @powers(%x: f32, %y: f32, %h: f16, %p: !tile.ptr<f32>, %q: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rcp.approx.ftz.f"
  // CHECK-NOT: llvm.call @
  // CHECK-COUNT-2: llvm.shl
  %0 = math.powf %x, %y : f32
  tile.store %p, %0 : !tile.ptr<f32>
  // CHECK: %[[SQUARE:.*]] = llvm.fmul %arg0, %arg0
  // CHECK-NEXT: %[[CUBE:.*]] = llvm.fmul %[[SQUARE]], %arg0
  %three = arith.constant 3.0 : f32
  %1 = math.powf %x, %three : f32
  tile.store %p, %1 : !tile.ptr<f32>
  // CHECK: %[[WIDE:.*]] = llvm.fpext %arg2
  // CHECK: llvm.fmul %[[WIDE]], %[[WIDE]]
  // CHECK-NOT: rcp
  %two = arith.constant 2.0 : f16
  %2 = math.powf %h, %two : f16
  tile.store %q, %2 : !tile.ptr<f16>
  tile.return
}

// -----

// CHECK-NOT: llvm.func @_Z
// CHECK-LABEL: llvm.func @expanded
tile.func @expanded(%x: f32, %p: !tile.ptr<f32>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK-NOT: llvm.call @
  %0 = math.log10 %x : f32
  %1 = math.expm1 %0 : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.lg2.approx.f"
  %2 = math.cbrt %1 : f32
  %3 = math.asinh %2 : f32
  %4 = math.acosh %3 : f32
  %5 = math.atanh %4 : f32
  %6 = math.sinh %5 : f32
  %7 = math.cosh %6 : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  %8 = math.asin %7 : f32
  // CHECK: llvm.call_intrinsic "llvm.nvvm.rsqrt.approx.f"
  %9 = math.acos %8 : f32
  %10 = math.atan %9 : f32
  // CHECK: llvm.intr.smax
  %11 = math.atan2 %10, %x : f32
  tile.store %p, %11 : !tile.ptr<f32>
  // CHECK: llvm.return
  tile.return
}

// -----

// Remainders of f32 loop only where the quotient is large, tangents of f32 leave
// large angles to the library; of f64 it computes both.
// CHECK-LABEL: llvm.func internal @tilewright_fmod(%arg0: f32, %arg1: f32) -> f32
// CHECK-SAME: always_inline
// CHECK: llvm.cond_br %{{.*}}, ^[[SHORT:.*]], ^[[LONG:.*]]
// CHECK: ^[[SHORT]]:
// CHECK-COUNT-1: llvm.intr.fma
// CHECK: llvm.return
// CHECK: ^[[LONG]]:
// CHECK: llvm.br ^[[HEAD:.*]](%{{.*}}, %{{.*}} : i32, f32)
// CHECK: ^[[HEAD]](%[[LEFT:.*]]: i32, %{{.*}}: f32):
// CHECK: llvm.icmp "sgt" %[[LEFT]]
// CHECK: llvm.br ^[[HEAD]]
// CHECK-LABEL: llvm.func internal @tilewright_tan(%arg0: f32) -> f32
// CHECK: llvm.cond_br %{{.*}}, ^[[NEAR:.*]], ^[[FAR:.*]]
// CHECK: ^[[NEAR]]:
// CHECK-NOT: llvm.call @
// CHECK: ^[[FAR]]:
// CHECK-NEXT: llvm.call @_Z3tanf(%arg0)
// CHECK-LABEL: llvm.func @remainders
tile.func @remainders(%x: f32, %y: f64, %p: !tile.ptr<f32>, %q: !tile.ptr<f64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.call @tilewright_tan
  %0 = math.tan %x : f32
  // CHECK: llvm.call @tilewright_fmod
  %1 = arith.remf %x, %0 : f32
  // CHECK: llvm.call @tilewright_fmod
  %2 = arith.remf %1, %0 : f32
  tile.store %p, %2 : !tile.ptr<f32>
  // CHECK: llvm.call @_Z3tand
  %3 = math.tan %y : f64
  // CHECK: llvm.call @_Z4fmoddd
  %4 = arith.remf %y, %3 : f64
  tile.store %q, %4 : !tile.ptr<f64>
  tile.return
}
