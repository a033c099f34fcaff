// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=80 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM80
// RUN: tilewright-opt %s --convert-warp-to-llvm=compute-capability=89 --split-input-file | FileCheck %s --check-prefixes=CHECK,SM89

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// Two values share an instruction where the GPU has one.
// CHECK-LABEL: llvm.func @narrow
tile.func @narrow(%x: !tile.ptr<f32>, %y: !tile.ptr<f8E4M3FN>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %xs = tile.splat %x : !tile.ptr<f32> -> tensor<64x!tile.ptr<f32>, #l>
  %v = tile.load %xs : tensor<64x!tile.ptr<f32>, #l>
  // SM80-NOT: llvm.inline_asm
  // SM80-COUNT-2: llvm.intr.umin
  // SM89: llvm.inline_asm "cvt.rn.satfinite.e4m3x2.f32 $0, $1, $2;", "=h,f,f"
  // SM89-NOT: llvm.inline_asm
  %n = arith.truncf %v : tensor<64xf32, #l> to tensor<64xf8E4M3FN, #l>
  %ys = tile.splat %y : !tile.ptr<f8E4M3FN> -> tensor<64x!tile.ptr<f8E4M3FN>, #l>
  tile.store %ys, %n : tensor<64x!tile.ptr<f8E4M3FN>, #l>
  tile.return
}

// -----

#l = #warp.linear<{register = [[1]], lane = [[2], [4], [8], [16], [32]], warp = []}>

// CHECK-LABEL: llvm.func @widen
tile.func @widen(%x: !tile.ptr<f8E4M3FN>, %y: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %xs = tile.splat %x : !tile.ptr<f8E4M3FN> -> tensor<64x!tile.ptr<f8E4M3FN>, #l>
  %v = tile.load %xs : tensor<64x!tile.ptr<f8E4M3FN>, #l>
  // SM80-COUNT-2: llvm.fmul %{{.*}}, %{{.*}} : f16
  // SM89: llvm.inline_asm "cvt.rn.f16x2.e4m3x2 $0, $1;", "=r,h"
  %n = arith.extf %v : tensor<64xf8E4M3FN, #l> to tensor<64xf16, #l>
  %ys = tile.splat %y : !tile.ptr<f16> -> tensor<64x!tile.ptr<f16>, #l>
  tile.store %ys, %n : tensor<64x!tile.ptr<f16>, #l>
  tile.return
}

// -----

// f8E5M2 is the high byte of an f16, on every GPU.
// CHECK-LABEL: llvm.func @e5m2
tile.func @e5m2(%x: f8E5M2, %y: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[WIDE:.*]] = llvm.zext %arg0 : i8 to i16
  // CHECK: %[[UPPER:.*]] = llvm.shl %[[WIDE]]
  // CHECK: llvm.bitcast %[[UPPER]] : i16 to f16
  %n = arith.extf %x : f8E5M2 to f16
  tile.store %y, %n : !tile.ptr<f16>
  tile.return
}

// -----

// CHECK-LABEL: llvm.func @pointers
tile.func @pointers(%i: i64, %y: !tile.ptr<i64>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: llvm.inttoptr %arg0 : i64 to !llvm.ptr<1>
  %p = tile.int_to_ptr %i : i64 -> !tile.ptr<f32>
  // CHECK: llvm.ptrtoint %arg1 : !llvm.ptr<1> to i64
  %j = tile.ptr_to_int %y : !tile.ptr<i64> -> i64
  %q = tile.bitcast %p : !tile.ptr<f32> -> !tile.ptr<i64>
  tile.store %q, %j : !tile.ptr<i64>
  tile.return
}

// -----

// Negation of infinity.
// CHECK-LABEL: llvm.func @negate
tile.func @negate(%x: f8E5M2, %y: !tile.ptr<f8E5M2>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[SIGN:.*]] = llvm.mlir.constant(-128 : i8)
  // CHECK: llvm.xor %arg0, %[[SIGN]]
  %n = arith.negf %x : f8E5M2
  tile.store %y, %n : !tile.ptr<f8E5M2>
  tile.return
}

// -----

// Two roundings equal one if the first one is round-to-odd.
// CHECK-LABEL: llvm.func @odd
tile.func @odd(%i: i64, %x: f64, %y: !tile.ptr<bf16>, %z: !tile.ptr<f8E5M2>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[CUT:.*]] = llvm.inline_asm "cvt.rz.f32.s64 $0, $1;", "=f,l" %arg0
  // CHECK: %[[BACK:.*]] = llvm.inline_asm "cvt.rzi.s64.f32 $0, $1;", "=l,f" %[[CUT]]
  // CHECK: llvm.icmp "ne" %[[BACK]], %arg0
  // CHECK: %[[ODD:.*]] = llvm.or
  // CHECK: %[[WIDE:.*]] = llvm.bitcast %[[ODD]] : i32 to f32
  // CHECK: llvm.fptrunc %[[WIDE]] : f32 to bf16
  %b = arith.sitofp %i : i64 to bf16
  // CHECK: llvm.inline_asm "cvt.rz.f32.f64 $0, $1;", "=f,d" %arg1
  // CHECK: llvm.fcmp "une"
  // CHECK: llvm.or
  %n = arith.truncf %x : f64 to f8E5M2
  tile.store %y, %b : !tile.ptr<bf16>
  tile.store %z, %n : !tile.ptr<f8E5M2>
  tile.return
}
