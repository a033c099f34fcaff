// RUN: tilewright-opt %s | tilewright-opt | FileCheck %s
// RUN: tilewright-opt -mlir-print-op-generic %s | tilewright-opt | FileCheck %s

// CHECK-LABEL: tile.func @addptr
tile.func @addptr(%p: !tile.ptr<f32>, %i: i64, %t: tensor<8x!tile.ptr<i8>>, %o: tensor<8xi32>)
    -> (!tile.ptr<f32>, tensor<8x!tile.ptr<i8>>) {
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : !tile.ptr<f32>, i64
  // CHECK: tile.addptr %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<i8>>, tensor<8xi32>
  %0 = tile.addptr %p, %i : !tile.ptr<f32>, i64
  %1 = tile.addptr %t, %o : tensor<8x!tile.ptr<i8>>, tensor<8xi32>
  tile.return %0, %1 : !tile.ptr<f32>, tensor<8x!tile.ptr<i8>>
}

// CHECK-LABEL: tile.func @load
tile.func @load(%s: !tile.ptr<f32>, %p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %o: tensor<8xf32>) {
  // CHECK: tile.load %{{.*}} : !tile.ptr<f32>
  // CHECK: tile.load %{{.*}} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}}, %{{.*}} cache = cg evict = evict_first volatile : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.load %{{.*}} evict = evict_last : tensor<8x!tile.ptr<f32>>
  %0 = tile.load %s : !tile.ptr<f32>
  %1 = tile.load %p : tensor<8x!tile.ptr<f32>>
  %2 = tile.load %p, %m : tensor<8x!tile.ptr<f32>>
  %3 = tile.load %p, %m, %o : tensor<8x!tile.ptr<f32>>
  %4 = tile.load %p, %m cache = cg evict = evict_first volatile : tensor<8x!tile.ptr<f32>>
  %5 = tile.load %p evict = evict_last : tensor<8x!tile.ptr<f32>>
  tile.return
}

// CHECK-LABEL: tile.func @store
tile.func @store(%s: !tile.ptr<i8>, %v: i8, %p: tensor<8x!tile.ptr<f32>>, %m: tensor<8xi1>, %x: tensor<8xf32>) {
  // CHECK: tile.store %{{.*}}, %{{.*}} : !tile.ptr<i8>
  // CHECK: tile.store %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}}, %{{.*}} : tensor<8x!tile.ptr<f32>>
  // CHECK: tile.store %{{.*}}, %{{.*}} cache = wt evict = evict_first : tensor<8x!tile.ptr<f32>>
  tile.store %s, %v : !tile.ptr<i8>
  tile.store %p, %x : tensor<8x!tile.ptr<f32>>
  tile.store %p, %x, %m : tensor<8x!tile.ptr<f32>>
  tile.store %p, %x cache = wt evict = evict_first : tensor<8x!tile.ptr<f32>>
  tile.return
}

// Pointers are loaded through pointers.
// CHECK-LABEL: tile.func @pointers
tile.func @pointers(%p: !tile.ptr<!tile.ptr<f32>>) -> !tile.ptr<f32> {
  // CHECK: tile.load %{{.*}} : !tile.ptr<!tile.ptr<f32>>
  %0 = tile.load %p : !tile.ptr<!tile.ptr<f32>>
  tile.return %0 : !tile.ptr<f32>
}
