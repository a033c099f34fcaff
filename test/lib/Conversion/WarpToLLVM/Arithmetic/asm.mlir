// RUN: tilewright-opt %s --convert-warp-to-llvm --split-input-file | FileCheck %s

#l = #warp.linear<{register = [[1], [2]], lane = [[4], [8], [16], [32], [64]], warp = []}>

// Four bytes in one register, two floats in two, for all four elements at once
// or two by two.
// CHECK-LABEL: llvm.func @packed
tile.func @packed(%x: i8, %y: f32, %h: f16, %p: !tile.ptr<i8>, %q: !tile.ptr<f16>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  %a = tile.splat %x : i8 -> tensor<128xi8, #l>
  %b = tile.splat %y : f32 -> tensor<128xf32, #l>
  %c = tile.splat %h : f16 -> tensor<128xf16, #l>
  // CHECK: %[[BYTES:.*]] = llvm.bitcast %{{.*}} : vector<4xi8> to i32
  // CHECK: %[[R:.*]] = llvm.inline_asm "any $0 $1 $5;", "=r,r,f,f,f,f" %[[BYTES]], %{{.*}} : (i32, f32, f32, f32, f32) -> i32
  // CHECK: llvm.bitcast %[[R]] : i32 to vector<4xi8>
  %d = tile.inline_asm "any $0 $1 $5;" "=r, r,f,f,f,f" pack = 4 pure %a, %b : (tensor<128xi8, #l>, tensor<128xf32, #l>) -> tensor<128xi8, #l>
  %ps = tile.splat %p : !tile.ptr<i8> -> tensor<128x!tile.ptr<i8>, #l>
  tile.store %ps, %d : tensor<128x!tile.ptr<i8>, #l>
  // CHECK-COUNT-2: llvm.inline_asm "two $0 $1;", "=r,r" %{{.*}} : (i32) -> i32
  %e = tile.inline_asm "two $0 $1;" "=r,r" pack = 2 pure %c : (tensor<128xf16, #l>) -> tensor<128xf16, #l>
  %qs = tile.splat %q : !tile.ptr<f16> -> tensor<128x!tile.ptr<f16>, #l>
  tile.store %qs, %e : tensor<128x!tile.ptr<f16>, #l>
  tile.return
}

// -----

// A byte in a wide register; effects; two results.
// CHECK-LABEL: llvm.func @scalar
tile.func @scalar(%x: i8, %p: !tile.ptr<i8>) attributes {tile.kernel, warp.num_warps = 1 : i32} {
  // CHECK: %[[WIDE:.*]] = llvm.zext %arg0 : i8 to i32
  // CHECK: %[[R:.*]] = llvm.inline_asm has_side_effects "$0 $1 $2", "=r,=d,r" %[[WIDE]] : (i32) -> !llvm.struct<(i32, f64)>
  // CHECK: %[[LOW:.*]] = llvm.extractvalue %[[R]][0]
  // CHECK: llvm.trunc %[[LOW]] : i32 to i8
  %0:2 = tile.inline_asm "$0 $1 $2" "=r,=d,r" pack = 1 %x : (i8) -> (i8, f64)
  tile.store %p, %0#0 : !tile.ptr<i8>
  tile.return
}
