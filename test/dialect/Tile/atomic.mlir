// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @integers
tile.func @integers(%p: tensor<8x!tile.ptr<i32>>, %x: tensor<8xi32>, %m: tensor<8xi1>) {
  // CHECK: tile.atomic_rmw add relaxed gpu %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw and acquire cta %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i32>>
  // CHECK: tile.atomic_rmw or release sys
  // CHECK: tile.atomic_rmw xor acq_rel gpu
  // CHECK: tile.atomic_rmw max relaxed gpu
  // CHECK: tile.atomic_rmw min relaxed gpu
  // CHECK: tile.atomic_rmw umax relaxed gpu
  // CHECK: tile.atomic_rmw umin relaxed gpu
  // CHECK: tile.atomic_rmw xchg relaxed gpu
  %0 = tile.atomic_rmw add relaxed gpu %p, %x, %m : tensor<8x!tile.ptr<i32>>
  %1 = tile.atomic_rmw and acquire cta %p, %x : tensor<8x!tile.ptr<i32>>
  %2 = tile.atomic_rmw or release sys %p, %x : tensor<8x!tile.ptr<i32>>
  %3 = tile.atomic_rmw xor acq_rel gpu %p, %x : tensor<8x!tile.ptr<i32>>
  %4 = tile.atomic_rmw max relaxed gpu %p, %x : tensor<8x!tile.ptr<i32>>
  %5 = tile.atomic_rmw min relaxed gpu %p, %x : tensor<8x!tile.ptr<i32>>
  %6 = tile.atomic_rmw umax relaxed gpu %p, %x : tensor<8x!tile.ptr<i32>>
  %7 = tile.atomic_rmw umin relaxed gpu %p, %x : tensor<8x!tile.ptr<i32>>
  %8 = tile.atomic_rmw xchg relaxed gpu %p, %x : tensor<8x!tile.ptr<i32>>
  tile.return
}

// CHECK-LABEL: tile.func @floats
tile.func @floats(%p: !tile.ptr<f32>, %x: f32, %h: !tile.ptr<f16>, %y: f16, %b: !tile.ptr<bf16>, %z: bf16) {
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw fmax relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw fmin relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw xchg relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<f32>
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<f16>
  // CHECK: tile.atomic_rmw fadd relaxed gpu %{{.*}}, %{{.*}} : !tile.ptr<bf16>
  %0 = tile.atomic_rmw fadd relaxed gpu %p, %x : !tile.ptr<f32>
  %1 = tile.atomic_rmw fmax relaxed gpu %p, %x : !tile.ptr<f32>
  %2 = tile.atomic_rmw fmin relaxed gpu %p, %x : !tile.ptr<f32>
  %3 = tile.atomic_rmw xchg relaxed gpu %p, %x : !tile.ptr<f32>
  %4 = tile.atomic_rmw fadd relaxed gpu %h, %y : !tile.ptr<f16>
  %5 = tile.atomic_rmw fadd relaxed gpu %b, %z : !tile.ptr<bf16>
  tile.return
}

// CHECK-LABEL: tile.func @compare_and_swap
tile.func @compare_and_swap(%p: !tile.ptr<i16>, %a: i16, %b: i16, %q: tensor<8x!tile.ptr<f64>>, %x: tensor<8xf64>, %m: tensor<8xi1>) {
  // CHECK: tile.atomic_cas acq_rel gpu %{{.*}}, %{{.*}}, %{{.*}} : !tile.ptr<i16>
  // CHECK: tile.atomic_cas relaxed sys %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f64>>
  // CHECK: tile.atomic_cas relaxed sys %{{.*}}, %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f64>>
  %0 = tile.atomic_cas acq_rel gpu %p, %a, %b : !tile.ptr<i16>
  %1 = tile.atomic_cas relaxed sys %q, %x, %x : tensor<8x!tile.ptr<f64>>
  %2 = tile.atomic_cas relaxed sys %q, %x, %x, %m : tensor<8x!tile.ptr<f64>>
  tile.return
}
