// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @asm
tile.func @asm(%x: tensor<8xf32>, %b: tensor<4x8xi8>, %p: !tile.ptr<f16>, %h: f16) {
  // CHECK: tile.inline_asm "max.f32 $0, $1, $1;" "=f,f" pack = 1 pure %{{.*}} : (tensor<8xf32>) -> tensor<8xf32>
  %0 = tile.inline_asm "max.f32 $0, $1, $1;" "=f,f" pack = 1 pure %x : (tensor<8xf32>) -> tensor<8xf32>
  // Four bytes share a register; two results; an operand in a result's register.
  // CHECK: tile.inline_asm "mov.b32 $0, $2; // $$" "=&r,=r, 0,~{memory}" pack = 4 %{{.*}} : (tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>)
  %1:2 = tile.inline_asm "mov.b32 $0, $2; // $$" "=&r,=r, 0,~{memory}" pack = 4 %b : (tensor<4x8xi8>) -> (tensor<4x8xi8>, tensor<4x8xi8>)
  // CHECK: tile.inline_asm "ld.b16 ${0}, [$1];" "=h,l" pack = 1 %{{.*}} : (!tile.ptr<f16>) -> f16
  %2 = tile.inline_asm "ld.b16 ${0}, [$1];" "=h,l" pack = 1 %p : (!tile.ptr<f16>) -> f16
  // CHECK: tile.inline_asm "mov.u32 $0, 1;" "=r" pack = 1 : () -> i32
  %3 = tile.inline_asm "mov.u32 $0, 1;" "=r" pack = 1 : () -> i32
  tile.return
}
